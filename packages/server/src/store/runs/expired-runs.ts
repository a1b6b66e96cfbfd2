// Finds runs that are past their retention, customer by customer and page by page.
import { type RetentionDays, sameForAll, shortestDays } from '../../domain/run/retention.ts'
import { terminalStates } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { sqlList } from '../postgres/sql-list.ts'
import type { EndedRun } from '../run-log/remove-runs.ts'

export interface CustomerRetention {
  readonly customerId: string
  readonly retention: RetentionDays
}

/** A run whose retention is over. */
export interface ExpiredRun extends EndedRun {
  /** About how many rows it has. */
  readonly rows: number
}

export interface ExpiredPage {
  readonly expired: readonly ExpiredRun[]
  /** Where the next page begins; undefined: this is the last. */
  readonly next: PagePosition | undefined
}

/** By creation, or by id among the runs with a hint. */
export interface PagePosition {
  readonly createdAt: string
  readonly id: string
}

const pageSize = 1_000
export const firstPage: PagePosition = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

/** The customers whose runs are not kept for ever. A customer's own retention replaces that of the settings. */
export async function listRetentions(database: Database, general: RetentionDays): Promise<CustomerRetention[]> {
  const isGeneral = shortestDays(general) !== undefined
  const rows = await database.query<{ id: string; retention_days: number | null }>({
    text: `
select id, retention_days
from customers
where $1 or retention_days is not null
order by id`,
    values: [isGeneral],
  })
  return rows.map(({ id, retention_days: days }) => ({
    customerId: id,
    retention: days === null ? general : sameForAll(days),
  }))
}

/** Takes the retention as `$2`. Null if the run is kept. */
const days = '(coalesce($2::jsonb->>r.state, $2::jsonb->>r.run_class))::integer'
const isExpired = (after: string): string =>
  `coalesce(r.state in (${sqlList(terminalStates)}) and r.updated_at < clock_timestamp() - ${after} * interval '1 day', false)`

const columns = (after: string): string => `
  r.id, r.epoch, r.next_seq + r.next_turn as rows, r.created_at::text as created_at, ${isExpired(after)} as is_expired`

const byAge = `
select ${columns(days)}
from runs r
where r.customer_id = $1
  and r.created_at > '-infinity'
  and r.created_at < clock_timestamp() - $3 * interval '1 day'
  and (r.created_at, r.id) > ($4::timestamptz, $5::uuid)
order by r.created_at, r.id
limit ${pageSize}`

const byHint = `
select ${columns(`least(${days}, i.retention_hint_days)`)}
from run_inputs i
join runs r on ${lookUp({ 'r.customer_id': 'i.customer_id', 'r.id': 'i.run_id' })}
where i.customer_id = $1
  and i.retention_hint_days is not null
  and i.run_id > $3
  and ${days} is not null
order by i.run_id
limit ${pageSize}`

type Row = { id: string; epoch: number; rows: number; created_at: string; is_expired: boolean }

export async function findExpiredRuns(
  database: Database,
  { customerId, retention }: CustomerRetention,
  { createdAt, id }: PagePosition,
): Promise<ExpiredPage> {
  const values = [customerId, JSON.stringify(retention), shortestDays(retention), createdAt, id]
  return toPage(customerId, await database.query<Row>({ text: byAge, values }))
}

/** Runs that a hint of their tags lets expire earlier. */
export async function findHintedRuns(
  database: Database,
  { customerId, retention }: CustomerRetention,
  { id }: PagePosition,
): Promise<ExpiredPage> {
  const values = [customerId, JSON.stringify(retention), id]
  return toPage(customerId, await database.query<Row>({ text: byHint, values }))
}

function toPage(customerId: string, rows: readonly Row[]): ExpiredPage {
  const last = rows.length === pageSize ? rows.at(-1) : undefined
  return {
    expired: rows
      .filter((row) => row.is_expired)
      .map(({ id, epoch, rows: count }) => ({ customerId, id, epoch, rows: count })),
    next: last && { createdAt: last.created_at, id: last.id },
  }
}
