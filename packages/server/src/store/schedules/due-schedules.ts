// Finds schedules that are due, of all customers, and records what became of their ticks. Several processes may do both
// at once: a row is changed only if its next tick is still the one that was found.
import type { CatchUpPolicy, ScheduleError } from '@runwright/contract'
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { heldCustomers } from '../run-log/moving-customers.ts'

export interface DueScheduleRecord {
  readonly customerId: string
  readonly id: string
  readonly cron: string
  readonly timeZone: string
  readonly catchUp: CatchUpPolicy
  readonly nextAt: Date
  /** The tick was refused for a reason that passes. */
  readonly isRepeated: boolean
  /** The customer is suspended. */
  readonly isSuspended: boolean
  readonly sealed: SealedValue
  /** The key that wrote the body of its runs. Null: the operator. */
  readonly runBy: string | null
  /** The clock of the database. */
  readonly now: Date
}

type DueRow = {
  customer_id: string
  id: string
  cron: string
  time_zone: string
  catch_up: CatchUpPolicy
  next_at: Date
  is_repeated: boolean
  is_suspended: boolean
  sealed: Buffer
  sealed_key: number
  run_by: string | null
  now: Date
}

/** Those that have been due for the longest time first. */
export async function findDueSchedules(database: Database, limit: number): Promise<DueScheduleRecord[]> {
  const rows = await database.query<DueRow>({
    text: `
select s.customer_id, s.id, s.cron, s.time_zone, s.catch_up, s.next_at, s.due_at > s.next_at as is_repeated,
  c.suspended_at is not null as is_suspended, s.sealed, s.sealed_key, s.run_by, clock_timestamp() as now
from schedules s
join customers c on c.id = s.customer_id
where s.due_at <= now() and s.customer_id not in (${heldCustomers})
order by s.due_at
limit $1`,
    values: [limit],
  })
  return rows.map((row) => ({
    customerId: row.customer_id,
    id: row.id,
    cron: row.cron,
    timeZone: row.time_zone,
    catchUp: row.catch_up,
    nextAt: row.next_at,
    isRepeated: row.is_repeated,
    isSuspended: row.is_suspended,
    sealed: { bytes: row.sealed, keyId: row.sealed_key },
    runBy: row.run_by,
    now: row.now,
  }))
}

export interface Advance {
  readonly customerId: string
  readonly id: string
  /** The tick that was found. If it is not the next one any more, nothing is recorded. */
  readonly wasNextAt: Date
  readonly nextAt: Date
  /** When to act on it. Left out: at the tick. */
  readonly dueInMs?: number | undefined
  /** The last tick that has created a run. Its run is null if it was removed already. */
  readonly last?: { readonly at: Date; readonly runId: string | null } | undefined
  /** Why the last tick has created no run. */
  readonly error?: ScheduleError | undefined
  readonly missed: number
}

const advanceText = `
update schedules s
set next_at = v.next_at,
  due_at = coalesce(clock_timestamp() + v.due_in_ms * interval '1 ms', v.next_at),
  last_at = coalesce(v.last_at, s.last_at),
  last_run_id = case when v.last_at is null then s.last_run_id else v.last_run_id end,
  last_error = case when v.error is not null or v.last_at is not null then v.error else s.last_error end,
  missed = s.missed + v.missed
from unnest(
  $1::text[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::float8[], $6::timestamptz[], $7::uuid[], $8::json[],
  $9::integer[]
) as v(customer_id, id, was_next_at, next_at, due_in_ms, last_at, last_run_id, error, missed)
where ${lookUp({ 's.customer_id': 'v.customer_id', 's.id': 'v.id' })} and s.next_at = v.was_next_at
  and s.customer_id not in (${heldCustomers})`

export async function advanceSchedules(database: Database, advances: readonly Advance[]): Promise<void> {
  await database.query({
    text: advanceText,
    values: [
      advances.map(({ customerId }) => customerId),
      advances.map(({ id }) => id),
      advances.map(({ wasNextAt }) => wasNextAt),
      advances.map(({ nextAt }) => nextAt),
      advances.map(({ dueInMs }) => dueInMs ?? null),
      advances.map(({ last }) => last?.at ?? null),
      advances.map(({ last }) => last?.runId ?? null),
      advances.map(({ error }) => error && JSON.stringify(error)),
      advances.map(({ missed }) => missed),
    ],
  })
}
