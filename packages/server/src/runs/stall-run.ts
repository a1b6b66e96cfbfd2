// Marks a run as stalled: its worker vanished, gave it up, or exceeded the time for a step.
import type { RunChange } from '../store/run-log/run-change.ts'
import type { OverdueLease } from '../store/runs/overdue-runs.ts'
import { endsItsWorkers, type RecoveryRule, recoveryAfterLossMs, recoveryDelayMs } from './recovery.ts'
import { workerTransition } from './transition-events.ts'

type StallReason = 'heartbeat_lost' | 'lease_lost' | 'step_timeout' | 'crashes_worker'

interface StalledRun {
  readonly runId: string
  readonly customerId: string
  readonly epoch: number
  readonly recoveries: number
  readonly requestId: string
}

/** Its worker is there, or hangs in the step. */
export const stallChange = (
  run: StalledRun,
  reasonCode: 'lease_lost' | 'step_timeout',
  rule: RecoveryRule,
): RunChange => stalled(run, reasonCode, recoveryDelayMs(rule, run.recoveries))

/** Its worker vanished. */
export function lossChange(run: OverdueLease, rule: RecoveryRule): RunChange {
  const isToBlame = rule.maxRecoveries > 0 && endsItsWorkers(rule, run)
  const reasonCode = isToBlame ? 'crashes_worker' : 'heartbeat_lost'
  return { ...stalled(run, reasonCode, recoveryAfterLossMs(rule, run)), losesWorker: true }
}

function stalled(run: StalledRun, reasonCode: StallReason, readyInMs: number | undefined): RunChange {
  return {
    runId: run.runId,
    customerId: run.customerId,
    epoch: run.epoch,
    trigger: 'stall',
    ...(readyInMs !== undefined && { readyInMs }),
    events: [workerTransition('stall', { requestId: run.requestId, reasonCode })],
  }
}
