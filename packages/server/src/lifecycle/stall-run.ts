// Marks a run as stalled: its worker is gone, gave it up, or exceeded the time for a step.
import type { RunChange } from '../store/run-log/run-change.ts'
import { type RecoveryRule, recoveryDelayMs } from './recovery.ts'
import { workerTransition } from './transition-events.ts'

type StallReason = 'heartbeat_lost' | 'lease_lost' | 'step_timeout'

interface StalledRun {
  readonly runId: string
  readonly customerId: string
  readonly epoch: number
  readonly recoveries: number
  readonly requestId: string
}

export function stallChange(run: StalledRun, reasonCode: StallReason, rule: RecoveryRule): RunChange {
  const readyInMs = recoveryDelayMs(rule, run.recoveries)
  return {
    runId: run.runId,
    customerId: run.customerId,
    epoch: run.epoch,
    trigger: 'stall',
    ...(readyInMs !== undefined && { readyInMs }),
    events: [workerTransition('stall', { requestId: run.requestId, reasonCode })],
  }
}
