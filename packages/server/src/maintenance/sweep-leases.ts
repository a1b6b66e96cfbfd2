// Finds runs whose worker has not renewed its lease, and marks them stalled.
import type { RecoveryRule } from '../lifecycle/recovery.ts'
import { stallChange } from '../lifecycle/stall-run.ts'
import type { Database } from '../store/database.ts'
import { findExpiredLeases } from '../store/overdue-runs.ts'
import type { RunLog } from '../store/run-log/run-log.ts'

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
  readonly rule: RecoveryRule
}

export async function sweepLeases({ database, runLog, rule }: Dependencies): Promise<{ stalled: number }> {
  const overdue = await findExpiredLeases(database)
  const outcomes = await Promise.all(
    // The guard is in the change: a worker that renewed a moment ago keeps its run.
    overdue.map((run) => runLog.apply({ ...stallChange(run, 'heartbeat_lost', rule), guard: 'lease_expired' })),
  )
  return { stalled: outcomes.filter(({ outcome }) => outcome === 'applied').length }
}
