// Settles the end of a task in one change: its end, the judge's decision, and the effect on the run.
import { journalEntry, plannerStepId } from '../../domain/run/journal.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import { workerTransition } from '../../runs/transition-events.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { waitEvents, waitingState } from './begin-wait.ts'
import { endEvents } from './end-events.ts'
import { endOverCeiling } from './finish-run.ts'
import { finishSuccess } from './finish-success.ts'
import { mayPlanAgain, replanStep } from './replan-step.ts'
import { goOn, held, runOver, type Settled } from './settled.ts'
import type { OtherTasks, PersonAsked, TaskEnd, TaskFailed } from './task-end.ts'

export async function finishStep(context: ExecutionContext, end: TaskEnd, others: OtherTasks): Promise<Settled> {
  const settled = await settle(context, end, others)
  if (end.task.stepId !== plannerStepId && !isRevised(context, end, settled)) tellEnd(context, end)
  return settled
}

/** The step goes on with its answer graded: it has not ended. */
const isRevised = ({ ledger }: ExecutionContext, { kind, task }: TaskEnd, settled: Settled): boolean =>
  kind === 'succeeded' && settled.kind !== 'run_over' && !ledger.progress.done.has(task.key)

async function settle(context: ExecutionContext, end: TaskEnd, others: OtherTasks): Promise<Settled> {
  switch (end.kind) {
    case 'succeeded':
      return finishSuccess({ context, end, others })
    case 'failed':
      return end.misplanned && mayPlanAgain(context, end.task)
        ? replanStep(context, end, others.keys)
        : finishFailure(context, end)
    case 'over_ceiling':
      return endOverCeiling(context, end)
    case 'person_asked':
      return others.isQuiet ? askPerson(context, end) : held
    case 'parked':
      return end
  }
}

function tellEnd({ parts }: ExecutionContext, { kind: outcome, task }: TaskEnd): void {
  if (outcome === 'parked' || outcome === 'person_asked') return
  parts.observer?.stepEnded?.({ kind: task.step.kind, outcome })
}

async function finishFailure(context: ExecutionContext, end: TaskFailed): Promise<Settled> {
  const { task, reasonCode } = end
  const { total, inAttempt } = context.ledger.progress.failuresOf(task.key)
  const triesAgain = end.retryable && inAttempt + 1 < task.step.maxAttempts
  const { keptTurns, explanation, refusedCall } = end
  const fail = {
    attempt: context.run.attempt,
    ...(keptTurns !== undefined && { keptTurns }),
    ...(!triesAgain && explanation !== undefined && { message: explanation }),
    ...(refusedCall !== undefined && { refusedCall }),
  }
  const journal = [journalEntry('fail', `${task.key}:${total}`, fail)]
  const events = endEvents(context.stepOf(task.key), end, {
    content: end.content,
    outcome: triesAgain ? 'retry_step' : 'fail_run',
    reasonCode,
    providerMessage: end.message,
  })
  const { requestId } = context.run
  if (triesAgain) {
    const decision = coordinationDecision(requestId, { decision: 'continue', reasonCode: 'retry_step', role: 'judge' })
    await context.ledger.apply({ events: [...events, decision], journal, usage: end.usage })
    return goOn
  }
  const stop = coordinationDecision(requestId, { decision: 'stop', reasonCode: 'step_failed', role: 'judge' })
  const failed = workerTransition('fail', { requestId, reasonCode })
  await context.ledger.apply({ trigger: 'fail', events: [...events, stop, failed], journal, usage: end.usage })
  return runOver
}

async function askPerson(context: ExecutionContext, { wait }: PersonAsked): Promise<Settled> {
  await context.ledger.apply({ ...waitingState(context.run, wait), events: waitEvents(context.run, wait) })
  return runOver
}
