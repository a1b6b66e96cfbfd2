// Ends an aborted execution: exceeds the limit, stalls the run or hands it over. Tokens already used are recorded with
// it.
import { stallChange } from '../runs/stall-run.ts'
import { limitExceeded } from '../runs/step-events.ts'
import type { AbortReason } from './context/abort-reason.ts'
import type { ExecutionContext } from './context/execution-context.ts'

export async function endAborted(context: ExecutionContext, reason: Exclude<AbortReason, 'lost'>): Promise<void> {
  if (reason === 'hand_over') await handOver(context)
  else if (reason === 'deadline') await endAtDeadline(context)
  else if (reason === 'step_timeout') await stall(context, 'step_timeout')
  else if (reason === 'lease_given_up') await stall(context, 'lease_lost')
}

/**
 * A planned release: the run stays running and can be claimed at once. It writes no event and counts as no recovery.
 */
const handOver = ({ ledger }: ExecutionContext) => ledger.apply({ trigger: 'hand_over', readyInMs: 0 })

async function stall(context: ExecutionContext, reason: 'step_timeout' | 'lease_lost'): Promise<void> {
  const { id: runId, customerId, epoch, requestId } = context.run
  const { recoveries } = context.ledger
  const change = stallChange({ runId, customerId, epoch, recoveries, requestId }, reason, context.parts.recovery)
  await context.ledger.apply(change)
}

async function endAtDeadline(context: ExecutionContext): Promise<void> {
  const { durationSeconds: threshold } = context.run
  const limit = { limitType: 'duration_limit', currentValue: context.clock.elapsedSeconds(), threshold } as const
  await context.ledger.apply({ trigger: 'exceed_limit', events: [limitExceeded(limit)] })
}
