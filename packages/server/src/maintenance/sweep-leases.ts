// Finds runs whose worker has not renewed its lease, or hangs in a step that should have ended, and marks them stalled.
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
    // The guard is in the change: a worker that renewed a moment ago keeps its run.
    overdue.map((run) => runLog.apply(changeFor(run, rule))),
  )
  return { stalled: outcomes.filter(({ outcome }) => outcome === 'applied').length }
}

const changeFor = (run: OverdueLease, rule: RecoveryRule): RunChange =>
  run.isStepOverdue
    ? { ...stallChange(run, 'step_timeout', rule), guard: 'step_expired' }
    : { ...stallChange(run, 'heartbeat_lost', rule), guard: 'lease_expired' }
