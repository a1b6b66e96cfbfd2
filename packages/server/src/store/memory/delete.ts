// Deletes memory items with their vectors. The version tells the caches of all processes.
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { toWireId } from '../../runtime/ids.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { recordAct } from '../requests/record-act.ts'
import { raiseMemoryVersion } from './version.ts'

interface DeletedItem {
  readonly customerId: string
  readonly id: string
  readonly by: Actor
}

/** Deletes one item, also one of the harness. False: the customer has no such item. */
export async function deleteMemoryItem(database: Database, { customerId, id, by }: DeletedItem): Promise<boolean> {
  let isDeleted = false
  await withRetry(async () => {
    const ids = await findIds(database, customerId, id)
    if (ids.length === 0) return
    const deleted = await database.transaction(async (client) => {
      const count = await deleteItems(client, customerId, ids)
      const target = toWireId('mem', id)
      if (count > 0) await recordAct(client, { customerId, by, action: 'memory.delete', target })
      return count
    })
    // After a lost answer to the commit, the second attempt finds nothing to delete.
    isDeleted = deleted > 0 || isDeleted
  })
  return isDeleted
}

const findIds = async (database: Database, customerId: string, id: string): Promise<string[]> => {
  const rows = await database.run<{ id: string }>({
    text: 'select id from memory_items where customer_id = $1 and id = $2',
    values: [customerId, id],
  })
  return rows.map((row) => row.id)
}

/** Returns how many there were. */
export const deleteMemoryItems = (database: Database, customerId: string, ids: readonly string[]): Promise<number> =>
  database.transaction((client) => deleteItems(client, customerId, ids))

async function deleteItems(client: pg.PoolClient, customerId: string, ids: readonly string[]): Promise<number> {
  const version = await raiseMemoryVersion(client, customerId)
  const { rowCount } = await client.query('delete from memory_items where customer_id = $1 and id = any($2::uuid[])', [
    customerId,
    ids,
  ])
  await deleteVectors(client, customerId, ids)
  await client.query('update memory_versions set deleted_version = $2 where customer_id = $1', [customerId, version])
  return rowCount ?? 0
}

/** The table is there if the database has pgvector. */
async function deleteVectors(client: pg.PoolClient, customerId: string, ids: readonly string[]): Promise<void> {
  const { rows } = await client.query("select to_regclass('memory_pgvectors') is not null as there")
  if (!rows[0]?.there) return
  await client.query('delete from memory_pgvectors where customer_id = $1 and item_id = any($2::uuid[])', [
    customerId,
    ids,
  ])
}
