// Finds runs whose lease has expired or whose step is overdue, and marks them stalled.
import type { RecoveryRule } from '../lifecycle/recovery.ts'
import { stallChange } from '../lifecycle/stall-run.ts'
import type { Database } from '../store/postgres/database.ts'
import type { RunChange } from '../store/run-log/run-change.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findExpiredLeases, type OverdueLease } from '../store/runs/overdue-runs.ts'

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
  readonly rule: RecoveryRule
}

export async function sweepLeases({ database, runLog, rule }: Dependencies): Promise<{ stalled: number }> {
  const overdue = await findExpiredLeases(database)
  const outcomes = await Promise.all(
    // The change checks the time again: a worker that has renewed meanwhile keeps its run.
    overdue.map((run) => runLog.apply(changeFor(run, rule))),
  )
  return { stalled: outcomes.filter(({ outcome }) => outcome === 'applied').length }
}

const changeFor = (run: OverdueLease, rule: RecoveryRule): RunChange =>
  run.isStepOverdue
    ? { ...stallChange(run, 'step_timeout', rule), guard: 'step_expired' }
    : { ...stallChange(run, 'heartbeat_lost', rule), guard: 'lease_expired' }
