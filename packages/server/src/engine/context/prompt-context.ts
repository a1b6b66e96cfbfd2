// The run as its prompts describe it. Built from the ledger's progress when a model reads it.
import { isDeepStrictEqual } from 'node:util'
import type { LazyContext, PersonsAnswer, PlannedStep, PromptContext } from '../../agents/prompt.ts'
import type { ResolvedStep } from '../../domain/plan/plan.ts'
import type { Answer } from '../../domain/run/answer-log.ts'
import type { DoneEntry, SeenByStep, TaskKey } from '../../domain/run/journal.ts'
import type { RunProgress } from '../../domain/run/progress.ts'
import { gateKey } from '../../domain/run/wait-keys.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'
import type { ExecutionContext } from './execution-context.ts'

interface Described {
  /** The step that the model works on or judges. */
  readonly current?: TaskKey | undefined
  /** What the step has seen of the run in its first turn. Undefined: it sees what is there now. */
  readonly seen?: SeenByStep | undefined
}

export function promptContext(context: ExecutionContext, described: Described = {}): LazyContext {
  return () => describe(context, described)
}

export const seenNow = ({ progress }: RunLedger): SeenByStep => ({
  date: new Date().toISOString().slice(0, 10),
  done: progress.done.size,
  answers: progress.answers.all.length,
})

function describe(context: ExecutionContext, { current, seen = seenNow(context.ledger) }: Described): PromptContext {
  const { progress } = context.ledger
  const answers = progress.answers.all.slice(0, seen.answers)
  const finished = finishedSteps(progress, seen)
  return {
    goal: progress.plan?.goal,
    input: context.inputs.shown.input,
    attachmentRefs: context.run.attachmentRefs ?? [],
    date: seen.date,
    plan: progress.plan?.steps.map((step) => describeStep(step, progress.keyOf(step.id), { progress, seen, current })),
    finished,
    answers: answers.map((answer) => ({ ...toldAnswer(progress, answer), ...toldOutcome(answer, finished) })),
    tokensLeft: context.tokens.left,
    secondsLeft: context.clock.secondsLeft,
  }
}

const finishedSteps = (progress: RunProgress, { done }: SeenByStep): DoneEntry[] =>
  progress.finished.filter(({ kind, order }) => kind !== 'planner' && order < done)

interface Seen {
  readonly progress: RunProgress
  readonly seen: SeenByStep
  readonly current: TaskKey | undefined
}

function describeStep(step: ResolvedStep, key: TaskKey, { progress, seen, current }: Seen): PlannedStep {
  const done = progress.done.get(key)
  const isDone = done ? done.order < seen.done : isAnswered(progress, gateKey(key), seen)
  return { id: step.id, what: whatOf(step), state: key === current ? 'current' : isDone ? 'done' : 'open' }
}

const isAnswered = ({ answers }: RunProgress, waitKey: string, seen: SeenByStep): boolean =>
  answers.all.slice(0, seen.answers).some((answer) => answer.waitKey === waitKey && answer.action !== 'reject')

export function whatOf(step: ResolvedStep): string {
  if (step.kind === 'agent') return step.instruction
  return step.kind === 'tool' ? `calls the tool ${step.tool}` : `waits for a person: ${step.prompt ?? step.reasonCode}`
}

/** The calls of earlier steps are not shown. The result of a step that only makes a call is. */
function toldOutcome({ call, payload, waitKey, action }: Answer, finished: readonly DoneEntry[]): SaidOutcome {
  if (call?.error !== undefined) return { said: { error: call.error } }
  const isOutcome = waitKey.startsWith('outcome:') && action === 'submit_input' && !call
  const result = isOutcome ? payload : call?.result
  const isShown =
    result === undefined || finished.some(({ kind, output }) => kind === 'tool' && isDeepStrictEqual(output, result))
  return isShown ? {} : { said: { result } }
}

type SaidOutcome = Pick<PersonsAnswer, 'said'>

export const toldAnswer = (
  progress: RunProgress,
  { action, payload, waitKey, asked, call }: Answer,
): PersonsAnswer => ({
  action,
  ...(call && { call }),
  asked: asked?.prompt ?? progress.questionOf(waitKey),
  // What became of a call is its result, which is shown with the call or in `said`.
  payload: waitKey.startsWith('outcome:') ? null : payload,
  ...(waitKey.startsWith('outcome:') && { wasTried: true }),
})
