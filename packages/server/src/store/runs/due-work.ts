// Asks with one statement which sweeps have something to do: an idle fleet sends one statement a second, not one for
// each.
import { runClasses } from '@runwright/contract'
import type { Database, Row } from '../postgres/database.ts'
import { sqlList } from '../postgres/sql-list.ts'
import { isLeaseOver, isLive, isPastDeadline, isWaitOver } from './overdue-runs.ts'

export interface DueWork {
  /** Leases that have expired and steps that are overdue. */
  readonly leases: boolean
  readonly deadlines: boolean
  readonly waits: boolean
  /** Usage that is not in the totals yet. */
  readonly usage: boolean
  /** Acts that are not in the audit chains yet. */
  readonly audit: boolean
  /** Messages to webhooks. */
  readonly deliveries: boolean
  readonly schedules: boolean
  /** Runs that can be claimed. */
  readonly ready: boolean
  /**
   * When the next wait or run is over, or the next tick is due, in ms. Negative if it is past, null if there is none.
   */
  readonly next_in_ms: number | null
}

// Ready runs are looked for in the order of the index `runs_ready`. Otherwise PostgreSQL may scan all runs for one.
const dueStatement = `
select exists (select 1 from runs where ${isLeaseOver('runs')}) as leases,
  exists (select 1 from runs where ${isPastDeadline('runs')}) as deadlines,
  exists (select 1 from runs where ${isWaitOver('runs')}) as waits,
  exists (select 1 from usage_deltas) as usage,
  exists (select 1 from audit_queue) as audit,
  coalesce(
    (select next_at from webhook_deliveries where next_at > '-infinity' order by next_at limit 1) <= now(),
    false
  ) as deliveries,
  coalesce(
    (select due_at from schedules where due_at > '-infinity' order by due_at limit 1) <= now(),
    false
  ) as schedules,
  exists (
    select 1
    from unnest(array[${sqlList(runClasses)}]) as class(name)
    cross join lateral (
      select 1
      from runs
      where run_class = class.name and ready_at <= now()
      order by run_class, customer_id, ready_at, id
      limit 1
    ) first
  ) as ready,
  (extract(epoch from least(
    (select await_until from runs where await_until > '-infinity' order by await_until limit 1),
    (select deadline_at from runs where ${isLive('runs')} and deadline_at > '-infinity' order by deadline_at limit 1),
    (select due_at from schedules where due_at > '-infinity' order by due_at limit 1)
  ) - clock_timestamp()) * 1000)::float8 as next_in_ms`

const nothingDue: DueWork = {
  leases: false,
  deadlines: false,
  waits: false,
  usage: false,
  audit: false,
  deliveries: false,
  schedules: false,
  ready: false,
  next_in_ms: null,
}

export async function findDueWork(database: Database): Promise<DueWork> {
  const [row] = await database.query<DueWork & Row>({ name: 'find-due-work', text: dueStatement })
  return row ?? nothingDue
}
