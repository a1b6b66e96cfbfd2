// Finds runs of all customers whose time is up. The change that ends them checks again under the row's lock.
import { liveStates } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { sqlList } from '../postgres/sql-list.ts'

export interface OverdueLease {
  /** The worker hangs: a step should have ended before the lease. */
  readonly isStepOverdue: boolean
  readonly runId: string
  readonly customerId: string
  readonly epoch: number
  readonly recoveries: number
  readonly lostWorkers: number
  /** Its worker executed nothing else when it began with the run. */
  readonly wasAlone: boolean
  readonly requestId: string
}

const batchSize = 500

// Ranges that include every value. While a table has no statistics, PostgreSQL expects few rows between two bounds and
// uses the index; with one bound or `is not null` it plans a scan of all runs.
const anyWorker = "worker_id between '00000000-0000-0000-0000-000000000000' and 'ffffffff-ffff-ffff-ffff-ffffffffffff'"
const isPast = (column: string): string => `${column} > '-infinity' and ${column} <= now()`

/** The conditions of the sweeps, for a table or an alias of it. */
export const isLeaseOver = (run: string): string =>
  `${run}.${anyWorker} and least(${run}.lease_until, ${run}.step_until) <= clock_timestamp()`
export const isLive = (run: string): string => `${run}.state in (${sqlList(liveStates)})`
export const isPastDeadline = (run: string): string => `${isLive(run)} and ${isPast(`${run}.deadline_at`)}`
export const isWaitOver = (run: string): string => isPast(`${run}.await_until`)

export async function findExpiredLeases(database: Database): Promise<OverdueLease[]> {
  const rows = await database.query<{
    id: string
    customer_id: string
    epoch: number
    recoveries: number
    lost_workers: number
    alone: boolean
    request_id: string
    is_step_overdue: boolean
  }>({
    name: 'find-expired-leases',
    text: `
select id, customer_id, epoch, recoveries, lost_workers, alone, request_id,
  coalesce(step_until <= least(lease_until, clock_timestamp()), false) as is_step_overdue
from runs
where ${isLeaseOver('runs')}
limit ${batchSize}`,
  })
  return rows.map((row) => ({
    runId: row.id,
    customerId: row.customer_id,
    epoch: row.epoch,
    recoveries: row.recoveries,
    lostWorkers: row.lost_workers,
    wasAlone: row.alone,
    requestId: row.request_id,
    isStepOverdue: row.is_step_overdue,
  }))
}

interface OverdueRun {
  readonly runId: string
  readonly customerId: string
  readonly elapsedSeconds: number
  readonly durationSeconds: number
}

export async function findPastDeadline(database: Database): Promise<OverdueRun[]> {
  const rows = await database.query<{ id: string; customer_id: string; elapsed: number; duration_seconds: number }>({
    name: 'find-past-deadline',
    text: `
select r.id, r.customer_id, extract(epoch from clock_timestamp() - r.created_at)::float8 as elapsed, i.duration_seconds
from runs r
join run_inputs i on ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}
where ${isPastDeadline('r')}
order by r.deadline_at
limit ${batchSize}`,
  })
  return rows.map((row) => ({
    runId: row.id,
    customerId: row.customer_id,
    elapsedSeconds: row.elapsed,
    durationSeconds: row.duration_seconds,
  }))
}

export interface OverdueWait {
  readonly runId: string
  readonly customerId: string
  readonly awaitSeq: number
  readonly waitKey: string
  readonly requestId: string
  /** The highest generation of plans that were made or requested so far. */
  readonly generation: number
}

export async function findExpiredWaits(database: Database): Promise<OverdueWait[]> {
  const rows = await database.query<{
    id: string
    customer_id: string
    await_seq: number
    wait_key: string | null
    request_id: string
    generation: number
  }>({
    name: 'find-expired-waits',
    text: `
select r.id, r.customer_id, r.await_seq, r.wait->>'key' as wait_key, r.request_id, coalesce((
  select max(split_part(j.key, ':', 2)::integer)
  from journal j
  where j.customer_id = r.customer_id and j.run_id = r.id and (j.key like 'plan:%' or j.key like 'replan:%')
), 0) as generation
from runs r
where ${isWaitOver('r')}
order by r.await_until
limit ${batchSize}`,
  })
  return rows.map((row) => ({
    runId: row.id,
    customerId: row.customer_id,
    awaitSeq: row.await_seq,
    waitKey: row.wait_key ?? '',
    requestId: row.request_id,
    generation: row.generation,
  }))
}
