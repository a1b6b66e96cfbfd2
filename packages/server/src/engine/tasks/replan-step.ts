// Asks the planner for another plan: because the judge says so, or because a step cannot be executed as the planner
// wrote it. Then the planner is told why, and the run does not fail.
import { journalEntry, type TaskKey } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { endEvents } from './end-events.ts'
import { goOn, type Settled } from './settled.ts'
import type { TaskFailed } from './task-end.ts'

interface Replan {
  readonly reason: string
  /** The other tasks that are executing or sleeping. */
  readonly beside: readonly TaskKey[]
}

export function replanEntry({ ledger }: ExecutionContext, { reason, beside }: Replan) {
  return journalEntry('replan', String(ledger.progress.generation + 1), {
    ...(reason !== '' && { reason }),
    ...(beside.length > 0 && { begun: beside }),
  })
}

/** Whether a planner made the step, and plans again anyway or can be asked to. A client's step fails instead. */
export function mayPlanAgain({ ledger: { progress }, parts }: ExecutionContext, { key, planned }: Task): boolean {
  if (!planned || progress.isClients(key) || progress.isStopping) return false
  return !progress.isCurrent(key) || progress.replans < parts.limits.maxReplans
}

/** No failure is journaled: the step has not begun, so the planner can replace it. */
export async function replanStep(
  context: ExecutionContext,
  end: TaskFailed,
  beside: readonly TaskKey[],
): Promise<Settled> {
  const { task, content, reasonCode } = end
  const { requestId } = context.run
  const { progress } = context.ledger
  const reason = `The step ${task.stepId} could not be executed as it was planned: ${content}`
  // Another step has asked for a plan already.
  const isOutdated = !progress.isCurrent(task.key)
  const decision = coordinationDecision(requestId, {
    decision: isOutdated ? 'continue' : 'replan',
    reasonCode: 'step_misplanned',
    role: 'judge',
  })
  await context.ledger.apply({
    events: [...endEvents(context.stepOf(task.key), end, { content, outcome: 'retry_step', reasonCode }), decision],
    journal: [
      journalEntry('broken', task.key, { reason }),
      ...(isOutdated ? [] : [replanEntry(context, { reason, beside })]),
    ],
    usage: end.usage,
  })
  return goOn
}
