// Reads the events of all runs of a customer, in the order of their times.
//
// A transaction that takes longer commits events that are older than those of others. A reader that went past them
// would never see them. So it reads only up to the horizon: the time from which on events may still be committed.
import { maxPageBytes } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import { logApplication } from '../run-log/log-application.ts'
import type { StoredEvent } from '../run-log/run-change.ts'
import { type EventRow, eventColumns, toEvents } from './events.ts'

/** After this event. Events of one time are ordered by run and seq. */
export interface CustomerPosition {
  readonly atMs: number
  readonly runId: string
  readonly seq: number
}

export interface CustomerEvent extends StoredEvent {
  readonly runId: string
}

export interface Horizon {
  /** All events before it are committed. */
  readonly atMs: number
  /** How far it is behind the clock. */
  readonly lagMs: number
}

const firstRun = '00000000-0000-0000-0000-000000000000'

/** Before all events of that time. */
export const positionAt = ({ atMs }: Pick<Horizon, 'atMs'>): CustomerPosition => ({ atMs, runId: firstRun, seq: 0 })

/**
 * Call it before the read that uses it: a transaction that commits in between is seen by the read. The time of an event
 * is taken within its transaction, so it is not before the start of the oldest one that writes events. If PostgreSQL
 * does not tell when transactions started, ten seconds are enough for all of them.
 */
export async function findHorizon(database: Database): Promise<Horizon> {
  const [row] = await database.query<{ at_ms: number; lag_ms: number }>({
    name: 'find-event-horizon',
    text: `
select (extract(epoch from date_trunc('milliseconds', h.at)) * 1000)::bigint as at_ms,
  (extract(epoch from statement_timestamp() - h.at) * 1000)::float8 as lag_ms
from (
  select least(statement_timestamp(), min(
      case
        when coalesce(state, 'disabled') = 'disabled' then statement_timestamp() - interval '10 seconds'
        else xact_start
      end
    )) as at
  from pg_stat_activity
  where datname = current_database() and application_name = $1
) h`,
    values: [logApplication],
  })
  if (!row) throw new Error('the horizon of events has no row')
  return { atMs: row.at_ms, lagMs: row.lag_ms }
}

interface Page {
  readonly after: CustomerPosition
  readonly before: Horizon
  readonly limit: number
  /** The page ends before the event that would exceed it, but has at least one event. */
  readonly maxBytes?: number
}

const instant = (parameter: string) => `to_timestamp(${parameter}::double precision / 1000)`

export async function findCustomerEvents(
  database: Database,
  customerId: string,
  { after, before, limit, maxBytes = maxPageBytes }: Page,
): Promise<CustomerEvent[]> {
  const rows = await database.query<EventRow & { run_id: string }>({
    name: 'find-customer-events',
    // The first event of a run is in 'run_inputs'; its time and order are those of the run.
    text: `
select *
from (
  select *, sum(size) over (order by at, run_id, seq) as bytes
  from (
    (
      select e.run_id, e.at, ${eventColumns}, e.size
      from event_rows e
      where e.customer_id = $1
        and e.at > '-infinity'
        and (e.at, e.run_id, e.seq) > (${instant('$2')}, $3::uuid, $4::integer)
        and e.at < ${instant('$5')}
      order by e.at, e.run_id, e.seq
      limit $6
    )
    union all
    (
      select r.id, r.created_at, 1, 0::smallint, 'run.created', (extract(epoch from r.created_at) * 1000)::bigint, true,
        i.created_payload, octet_length(i.created_payload::text)
      from runs r
      join run_inputs i on i.customer_id = $1 and i.run_id = r.id
      where r.customer_id = $1
        and r.created_at > '-infinity'
        and (r.created_at, r.id) > (${instant('$2')}, $3::uuid)
        and r.created_at < ${instant('$5')}
      order by r.created_at, r.id
      limit $6
    )
    order by at, run_id, seq
    limit $6
  ) event
) page
where bytes <= $7 or bytes = size
order by at, run_id, seq`,
    values: [customerId, after.atMs, after.runId, after.seq, before.atMs, limit, maxBytes],
  })
  return rows.flatMap((row) => withRun(row, after))
}

/** A row may stand for several events, and the position may be between them. */
function withRun({ run_id: runId, ...row }: EventRow & { run_id: string }, after: CustomerPosition): CustomerEvent[] {
  const isInRow = runId === after.runId && row.at_ms === after.atMs
  const page = { after: isInRow ? after.seq : 0, limit: Number.MAX_SAFE_INTEGER }
  return toEvents(row, page).map((event) => ({ ...event, runId }))
}
