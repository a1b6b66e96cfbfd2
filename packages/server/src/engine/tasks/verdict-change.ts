// What the verdict about a step changes in the run, beside the end of the step. A change with a trigger ends the
// execution.
//
//   continue     the next step; without a plan the judge says what it has to do, up to a limit of steps
//   replan       a planner step, up to a limit of plans
//   await_input  the run waits for a person
//   stop         the run succeeds, or fails when the judge says that the goal was not reached. What the plan does not
//                do without happens first
import { isRubricProblem } from '../../domain/rubric/rubric.ts'
import { journalEntry, type ResultGrade } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { afterKey } from '../../domain/run/wait-keys.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import { workerTransition } from '../../runs/transition-events.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { rubricOfRun } from '../context/step-rubrics.ts'
import type { LedgerChange } from '../ledger/run-ledger.ts'
import { waitEvents, waitingState } from './begin-wait.ts'
import type { Verdict } from './judge-step.ts'
import { replanEntry } from './replan-step.ts'
import type { TaskSucceeded } from './task-end.ts'
import type { SucceededStep } from './verdict-stages.ts'

/** What is written beside the end of the step. */
type VerdictChange = LedgerChange & Required<Pick<LedgerChange, 'events' | 'journal'>>

export const verdictChange = (step: SucceededStep, verdict: Verdict): VerdictChange =>
  step.others.keys.length === 0 ? changeAlone(step, verdict) : changeBeside(step, verdict)

function changeAlone(step: SucceededStep, verdict: Verdict): VerdictChange {
  switch (verdict.decision) {
    case 'await_input':
      return awaitAfter(step, verdict)
    case 'stop':
      return stopAfter(step, verdict)
    case 'replan':
      return { events: [decisionOf(step.context.run, verdict)], journal: [replanAfter(step, verdict)] }
    case 'continue':
      return { events: [decisionOf(step.context.run, verdict)], journal: nextInstruction(step.end, verdict) }
  }
}

/** While other tasks are executing, the step's end and the decision are written; acting on it waits for the others. */
function changeBeside(step: SucceededStep, verdict: Verdict): VerdictChange {
  if (verdict.decision === 'stop' && verdict.failure === undefined) {
    return { events: [decisionOf(step.context.run, verdict)], journal: [stopEntry(step, verdict)] }
  }
  if (verdict.decision !== 'await_input') return changeAlone(step, verdict)
  const { events, journal } = awaitAfter(step, verdict)
  step.context.announcedWaits.add(afterKey(step.end.task.key))
  return { events: events.slice(0, 1), journal }
}

const replanAfter = ({ context, others }: SucceededStep, { reason }: Verdict) =>
  replanEntry(context, { reason, beside: others.keys })

export const stopEntry = ({ context, end, others }: SucceededStep, { required }: Verdict) =>
  journalEntry('stop', end.task.key, {
    executing: others.keys,
    ...(required && { required }),
    generation: context.ledger.progress.generation,
  })

/** Without a plan the judge says what the next step has to do. */
function nextInstruction({ task }: TaskSucceeded, { nextInstruction: instruction }: Verdict) {
  if (task.planned || instruction === undefined) return []
  return [journalEntry('next', task.key, { instruction })]
}

function stopAfter({ context, end, grade }: SucceededStep, verdict: Verdict): VerdictChange {
  if (verdict.failure === undefined) return successChange(context, { ...end, grade }, verdict)
  const failed = workerTransition('fail', { requestId: context.run.requestId, reasonCode: verdict.failure })
  const events = [decisionOf(context.run, verdict), failed]
  return { trigger: 'fail', events, journal: nextInstruction(end, verdict) }
}

function awaitAfter({ context, end: { task } }: SucceededStep, verdict: Verdict): VerdictChange {
  const asked = verdict.question ?? { reasonCode: 'input_required', inputKind: null, prompt: verdict.reason || null }
  const wait: Wait = { key: afterKey(task.key), ...asked }
  return {
    ...waitingState(context.run, wait),
    events: waitEvents(context.run, wait, verdict.said),
    journal: [journalEntry('await', task.key, { ...asked, isLast: verdict.isLast })],
  }
}

interface Result extends Pick<TaskSucceeded, 'content' | 'output' | 'redacted'> {
  readonly grade?: ResultGrade | undefined
}

export function successChange(context: ExecutionContext, result: Result, verdict: Verdict): VerdictChange {
  const { run } = context
  const { content, redacted } = result
  const succeeded = workerTransition('succeed', { requestId: run.requestId, reasonCode: null })
  return {
    trigger: 'succeed',
    events: [decisionOf(run, verdict), succeeded],
    journal: [],
    result: { redacted, value: { content, output: outputOf(context, result) } },
  }
}

/** With its grade, if the rubric of the run asks for that. */
function outputOf(context: ExecutionContext, { output: answer, grade }: Result): unknown {
  const rubric = grade && rubricOfRun(context)?.rubric
  return rubric && !isRubricProblem(rubric) && rubric.includesGrade ? { answer, grade } : answer
}

export const decisionOf = (run: ClaimedRun, { decision, reasonCode, said }: Verdict) =>
  coordinationDecision(run.requestId, { decision, reasonCode, role: 'judge', said })
