// Copies a customer from one cell to another: its ended runs while it is served, and the rest while its writes are
// held. Everything can be repeated. Both sides are compared before each commit.
import type pg from 'pg'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Database } from '../postgres/database.ts'
import { type CustomerParts, type PartsById, readCustomerParts } from './customer-parts.ts'
import { findDifferences } from './differences.ts'
import { type Clients, copyRows, deleteRows } from './part-rows.ts'
import { resealSchedules } from './resealed-schedules.ts'
import { resealWebhooks } from './resealed-webhooks.ts'
import { type CellKeys, resealCopies } from './sealed-copies.ts'

export interface CopyOptions {
  readonly customerId: string
  readonly source: Database
  readonly target: Database
  readonly keys: CellKeys
  readonly report?: (line: string) => void
}

/** Runs or items that are copied in one transaction. */
const batchSize = 500

/** Copies ended runs and memory that the target does not have in the same form. Returns how many there were. */
export async function copySettled(options: CopyOptions): Promise<number> {
  const { customerId } = options
  let copied = 0
  const groups = await withBoth(options, async (clients, { byId }) => {
    await copyAgentSets(clients)
    return byId
  })
  for (const group of groups) {
    const { missing } = await withBoth(options, (clients) => findDifferences(clients, customerId, group, 'settled'))
    for (const [done, ids] of inBatches(missing)) {
      await withBoth(options, (clients) => copyById(clients, { ...options, group, ids }))
      options.report?.(`copied ${done} of ${missing.length} rows of ${group.table} and what belongs to them`)
    }
    copied += missing.length
  }
  return copied
}

/** Copies everything that the target does not have in the same form. Nothing is to write to the customer meanwhile. */
export async function copyRest(options: CopyOptions): Promise<number> {
  const { customerId } = options
  return withBoth(options, async (clients, { byId, whole }) => {
    await copyAgentSets(clients)
    let copied = 0
    for (const group of byId) copied += await copyDifferences(clients, { ...options, group })
    for (const part of whole.toReversed()) await deleteRows(clients.target, part, { customerId })
    for (const part of whole) await copyRows(clients, part, { customerId })
    await resealWebhooks(clients, options.keys, customerId)
    await resealSchedules(clients, options.keys, customerId)
    await copyCustomerRow(clients, customerId)
    return copied
  })
}

/** Deletes everything of the customer but its row. */
export async function deleteCustomerRows(database: Database, customerId: string): Promise<void> {
  const { byId, whole } = await database.withConnection(readCustomerParts)
  for (const { parts, ...group } of byId) {
    for (let ids = await firstIds(database, group, customerId); ids.length > 0; ) {
      await database.transaction(async (client) => {
        for (const part of parts) await deleteRows(client, part, { customerId, ids })
      })
      ids = await firstIds(database, group, customerId)
    }
  }
  await database.transaction(async (client) => {
    await client.query("set local runwright.moves = 'on'")
    const rest = [...byId.flatMap(({ parts }) => parts), ...whole.toReversed()]
    for (const part of rest) await deleteRows(client, part, { customerId })
  })
}

/** The ids of each batch, and how many there are up to its end. */
function* inBatches(ids: readonly string[]): Generator<[number, readonly string[]]> {
  for (let done = 0; done < ids.length; done += batchSize) {
    yield [Math.min(ids.length, done + batchSize), ids.slice(done, done + batchSize)]
  }
}

async function firstIds(
  database: Database,
  { table, id }: Pick<PartsById, 'table' | 'id'>,
  customerId: string,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>({
    text: `
select ${id}::text as id
from ${table}
where customer_id = $1
order by ${table}.${id}
limit ${batchSize}`,
    values: [customerId],
  })
  return rows.map(({ id }) => id)
}

/** A transaction on both sides. That of the source sees one moment, whatever its upkeep does meanwhile. */
async function withBoth<T>(
  { source, target }: Pick<CopyOptions, 'source' | 'target'>,
  work: (clients: Clients, parts: CustomerParts) => Promise<T>,
): Promise<T> {
  return source.transaction(async (from) => {
    await from.query('set transaction isolation level repeatable read, read only')
    return target.transaction(async (to) => {
      await to.query("set local runwright.moves = 'on'")
      const parts = await readCustomerParts(from)
      await refuseOtherSchema(parts, to)
      return work({ source: from, target: to }, parts)
    })
  })
}

async function refuseOtherSchema(parts: CustomerParts, target: pg.PoolClient): Promise<void> {
  if (JSON.stringify(parts) === JSON.stringify(await readCustomerParts(target))) return
  throw new SettingsError('The databases of the two cells have different schemas. Run the same version in both cells.')
}

interface CopyById extends Pick<CopyOptions, 'customerId' | 'keys'> {
  readonly group: PartsById
}

async function copyDifferences(clients: Clients, options: CopyById): Promise<number> {
  const { customerId, group } = options
  const { missing, extra } = await findDifferences(clients, customerId, group, 'all')
  for (const [, ids] of inBatches(extra)) {
    for (const part of group.parts) await deleteRows(clients.target, part, { customerId, ids })
  }
  for (const [, ids] of inBatches(missing)) await copyById(clients, { ...options, ids })
  return missing.length
}

async function copyById(
  clients: Clients,
  { customerId, keys, group, ids }: CopyById & { readonly ids: readonly string[] },
): Promise<void> {
  for (const part of group.parts) await copyRows(clients, part, { customerId, ids })
  if (group.table === 'runs') await resealCopies(clients, keys, { customerId, runIds: ids })
}

/** All of them: there are few, and journals name them. */
async function copyAgentSets({ source, target }: Clients): Promise<void> {
  const { rows } = await source.query<{ hash: string; definitions: string }>('select hash, definitions from agent_sets')
  await target.query(
    `
insert into agent_sets (hash, definitions)
select *
from unnest($1::text[], $2::json[])
on conflict (hash) do nothing`,
    [rows.map(({ hash }) => hash), rows.map(({ definitions }) => definitions)],
  )
}

async function copyCustomerRow({ source, target }: Clients, customerId: string): Promise<void> {
  const { rows } = await source.query<{ created_at: Date; suspended_at: Date | null; retention_days: number | null }>(
    'select created_at, suspended_at, retention_days from customers where id = $1',
    [customerId],
  )
  await target.query('update customers set created_at = $2, suspended_at = $3, retention_days = $4 where id = $1', [
    customerId,
    rows[0]?.created_at,
    rows[0]?.suspended_at,
    rows[0]?.retention_days,
  ])
}
