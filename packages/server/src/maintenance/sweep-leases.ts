// Finds runs whose lease has expired or whose step is overdue, and marks them stalled. After an outage of the database
// workers first get the time of a lease to renew: no lease can be renewed while the database is away.
import type { RecoveryRule } from '../runs/recovery.ts'
import { lossChange, stallChange } from '../runs/stall-run.ts'
import type { Database } from '../store/postgres/database.ts'
import type { Outage } from '../store/postgres/outage-watch.ts'
import type { RunChange } from '../store/run-log/run-change.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findExpiredLeases, type OverdueLease } from '../store/runs/overdue-runs.ts'

export interface LeaseSweep {
  readonly database: Database
  readonly runLog: RunLog
  readonly rule: RecoveryRule
  readonly leaseMs: number
  /** What has noticed outages of the database. Default: the database itself. */
  readonly watches?: readonly OutageWatcher[]
}

interface OutageWatcher {
  readonly lastOutage: Outage | undefined
}

export async function sweepLeases(dependencies: LeaseSweep): Promise<{ stalled: number }> {
  const { database, runLog, rule, leaseMs, watches = [database] } = dependencies
  const overdue = await findExpiredLeases(database)
  if (watches.some((watch) => isJustBack(watch, leaseMs))) return { stalled: 0 }
  const outcomes = await Promise.all(
    // The change checks the time again: a worker that has renewed meanwhile keeps its run.
    overdue.map((run) => runLog.apply(changeFor(run, rule))),
  )
  return { stalled: outcomes.filter(({ outcome }) => outcome === 'applied').length }
}

/** A shorter outage leaves enough of each lease to renew it. */
const longOutage = 1 / 10

function isJustBack({ lastOutage }: OutageWatcher, leaseMs: number): boolean {
  if (!lastOutage || lastOutage.ms < leaseMs * longOutage) return false
  return performance.now() - lastOutage.endedAt < leaseMs
}

const changeFor = (run: OverdueLease, rule: RecoveryRule): RunChange =>
  run.isStepOverdue
    ? { ...stallChange(run, 'step_timeout', rule), losesWorker: true, guard: 'step_expired' }
    : { ...lossChange(run, rule), guard: 'lease_expired' }
