// Copies a customer from one cell to another: its ended runs while it is served, and the rest while its writes are held.
// Everything can be repeated. Both sides are compared before each commit.
import type pg from 'pg'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Database } from '../postgres/database.ts'
import { type CustomerParts, readCustomerParts } from './customer-parts.ts'
import { type Clients, copyRows, deleteRows } from './part-rows.ts'
import { findRunDifferences } from './run-differences.ts'
import { type CellKeys, resealCopies } from './sealed-copies.ts'

export interface CopyOptions {
  readonly customerId: string
  readonly source: Database
  readonly target: Database
  readonly keys: CellKeys
  /** How many runs are copied and how many there are to copy. */
  readonly report?: (copied: number, total: number) => void
}

/** Runs that are copied in one transaction. */
const batchSize = 200

/** Copies ended runs that the target does not have in the same form. Returns how many there were. */
export async function copyEndedRuns(options: CopyOptions): Promise<number> {
  const { customerId } = options
  await withBoth(options, (clients) => copyAgentSets(clients))
  const { missing } = await withBoth(options, (clients) => findRunDifferences(clients, customerId, 'ended'))
  for (let done = 0; done < missing.length; done += batchSize) {
    const runIds = missing.slice(done, done + batchSize)
    await withBoth(options, async (clients, parts) => copyRuns(clients, { ...options, parts, runIds }))
    options.report?.(done + runIds.length, missing.length)
  }
  return missing.length
}

/** Copies everything that the target does not have in the same form. Nothing is to write to the customer meanwhile. */
export async function copyRest(options: CopyOptions): Promise<{ runs: number }> {
  const { customerId } = options
  return withBoth(options, async (clients, parts) => {
    await copyAgentSets(clients)
    const { missing, extra } = await findRunDifferences(clients, customerId, 'all')
    for (let done = 0; done < extra.length; done += batchSize) {
      const runIds = extra.slice(done, done + batchSize)
      for (const part of parts.ofRuns) await deleteRows(clients.target, part, { customerId, runIds })
    }
    for (let done = 0; done < missing.length; done += batchSize) {
      await copyRuns(clients, { ...options, parts, runIds: missing.slice(done, done + batchSize) })
    }
    for (const part of parts.ofCustomer.toReversed()) await deleteRows(clients.target, part, { customerId })
    for (const part of parts.ofCustomer) await copyRows(clients, part, { customerId })
    await copyCustomerRow(clients, customerId)
    await refuseDifferences(clients, customerId)
    return { runs: missing.length }
  })
}

/** Deletes everything of the customer but its row. */
export async function deleteCustomerRows(database: Database, customerId: string): Promise<void> {
  const parts = await database.withConnection(readCustomerParts)
  for (let runIds = await firstRuns(database, customerId); runIds.length > 0; ) {
    await database.transaction(async (client) => {
      for (const part of parts.ofRuns) await deleteRows(client, part, { customerId, runIds })
    })
    runIds = await firstRuns(database, customerId)
  }
  await database.transaction(async (client) => {
    await client.query("set local runwright.moves = 'on'")
    for (const part of [...parts.ofRuns, ...parts.ofCustomer.toReversed()])
      await deleteRows(client, part, { customerId })
  })
}

async function firstRuns(database: Database, customerId: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>({
    text: `
select id
from runs
where customer_id = $1
order by id
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

interface RunsToCopy extends Pick<CopyOptions, 'customerId' | 'keys'> {
  readonly parts: CustomerParts
  readonly runIds: readonly string[]
}

async function copyRuns(clients: Clients, { customerId, keys, parts, runIds }: RunsToCopy): Promise<void> {
  for (const part of parts.ofRuns) await copyRows(clients, part, { customerId, runIds })
  await resealCopies(clients, keys, { customerId, runIds })
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
  const { rows } = await source.query<{ created_at: Date; suspended_at: Date | null }>(
    'select created_at, suspended_at from customers where id = $1',
    [customerId],
  )
  await target.query('update customers set created_at = $2, suspended_at = $3 where id = $1', [
    customerId,
    rows[0]?.created_at,
    rows[0]?.suspended_at,
  ])
}

/** Runs that were copied before the hold are compared again. */
async function refuseDifferences(clients: Clients, customerId: string): Promise<void> {
  const { missing, extra } = await findRunDifferences(clients, customerId, 'ended')
  const unexpected = await countRuns(clients, customerId)
  if (missing.length === 0 && unexpected === 0) return
  throw new Error(`the runs of ${customerId} differ after the copy: ${missing.length} missing, ${extra.length} extra`)
}

/** How many more runs the target has than the source. */
async function countRuns({ source, target }: Clients, customerId: string): Promise<number> {
  const count = async (client: pg.PoolClient) =>
    (await client.query<{ count: number }>('select count(*) from runs where customer_id = $1', [customerId])).rows[0]
      ?.count ?? 0
  return (await count(target)) - (await count(source))
}
