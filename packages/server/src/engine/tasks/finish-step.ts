// Settles the end of a task in one change: its end, the judge's decision, and the effect on the run.

import { journalEntry, plannerStepId, type TaskKey } from '../../domain/run/journal.ts'
import { coordinationDecision, limitExceeded } from '../../runs/step-events.ts'
import { workerTransition } from '../../runs/transition-events.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { waitEvents, waitingState } from './begin-wait.ts'
import { endEvents } from './end-events.ts'
import { finishSuccess, successChange } from './finish-success.ts'
import { runEpisode } from './run-episode.ts'
import type { OverCeiling, PersonAsked, Settled, TaskEnd, TaskFailed } from './task-end.ts'

interface Circumstances {
  /** No other task of the run is executing or sleeping. */
  readonly alone: boolean
  /** The other tasks that are executing or sleeping. */
  readonly beside?: readonly TaskKey[]
  /** No other task is executing. Sleeping tasks do not count. */
  readonly isQuiet: boolean
}

export async function finishStep(
  context: ExecutionContext,
  end: TaskEnd,
  circumstances: Circumstances,
): Promise<Settled> {
  if (end.task.stepId !== plannerStepId) tellEnd(context, end)
  if (end.kind === 'failed') return finishFailure(context, end)
  if (end.kind === 'over_ceiling') return endOverCeiling(context, end)
  if (end.kind === 'person_asked') return askPerson(context, end, circumstances)
  if (end.kind === 'parked') return { parkedUntilMs: end.dueAtMs }
  const settled = await finishSuccess(context, end, circumstances)
  return typeof settled === 'object' && 'usage' in settled ? endOverCeiling(context, settled) : settled
}

function tellEnd({ parts }: ExecutionContext, { kind: outcome, task }: TaskEnd): void {
  if (outcome === 'parked' || outcome === 'person_asked') return
  parts.observer?.stepEnded?.({ kind: task.step.kind, outcome })
}

/**
 * Finishes a run that has nothing left to do although no step just ended: the last one was a gate, or a question after
 * a step was answered.
 */
export async function finishRun(context: ExecutionContext): Promise<Settled> {
  const finished = context.ledger.progress.finished.filter(({ kind }) => kind !== 'planner')
  const { content, output, redacted } = finished.at(-1) ?? { content: '', output: null, redacted: false }
  const change = successChange(context, { content, output, redacted })
  await context.ledger.apply({ ...change, memory: await runSliced(runEpisode(context)) })
  return 'run is over'
}

async function finishFailure(context: ExecutionContext, end: TaskFailed): Promise<Settled> {
  const { task, reasonCode } = end
  const { total, inAttempt } = context.ledger.progress.failuresOf(task.key)
  const triesAgain = end.retryable && inAttempt + 1 < task.step.maxAttempts
  const { keptTurns, explanation } = end
  const fail = {
    attempt: context.run.attempt,
    ...(keptTurns !== undefined && { keptTurns }),
    ...(!triesAgain && explanation !== undefined && { message: explanation }),
  }
  const journal = [journalEntry('fail', `${task.key}:${total}`, fail)]
  const events = endEvents(context, end, {
    content: end.content,
    outcome: triesAgain ? 'retry_step' : 'fail_run',
    reasonCode,
    providerMessage: end.message,
  })
  const { requestId } = context.run
  if (triesAgain) {
    const decision = coordinationDecision(requestId, { decision: 'continue', reasonCode: 'retry_step', role: 'judge' })
    await context.ledger.apply({ events: [...events, decision], journal, usage: end.usage })
    return 'go on'
  }
  const stop = coordinationDecision(requestId, { decision: 'stop', reasonCode: 'step_failed', role: 'judge' })
  const failed = workerTransition('fail', { requestId, reasonCode })
  await context.ledger.apply({ trigger: 'fail', events: [...events, stop, failed], journal, usage: end.usage })
  return 'run is over'
}

/** The completion that crosses the ceiling is metered. Its step gets no end event. */
export async function endOverCeiling(
  context: ExecutionContext,
  { usage, budget }: Pick<OverCeiling, 'usage' | 'budget'>,
): Promise<Settled> {
  const ceiling = { currentValue: context.ledger.tokens, threshold: context.run.tokenLimit }
  const limit = { limitType: 'cost_ceiling', ...(budget ?? ceiling) } as const
  await context.ledger.apply({ trigger: 'exceed_limit', events: [limitExceeded(limit)], usage })
  return 'run is over'
}

async function askPerson(
  context: ExecutionContext,
  { wait }: PersonAsked,
  { isQuiet }: Circumstances,
): Promise<Settled> {
  if (!isQuiet) return 'needs to be alone'
  await context.ledger.apply({ ...waitingState(context, wait), events: waitEvents(context, wait) })
  return 'run is over'
}
