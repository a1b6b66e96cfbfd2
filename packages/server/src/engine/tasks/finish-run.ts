// Ends a run without the end of a step: nothing is left to do, or its tokens are used up.
import type { DoneEntry, TaskKey } from '../../domain/run/journal.ts'
import { limitExceeded } from '../../runs/step-events.ts'
import { workerTransition } from '../../runs/transition-events.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { type OwnedRubric, rubricOfRun } from '../context/step-rubrics.ts'
import { type Grading, gradeAnswer } from './grade-answer.ts'
import { describeGrade, failed, resultGrade } from './grade-stage.ts'
import type { Verdict } from './judge-step.ts'
import { runEpisode } from './run-episode.ts'
import { runOver, type Settled } from './settled.ts'
import type { OverCeiling } from './task-end.ts'
import { decisionOf, successChange } from './verdict-change.ts'
import { lastVerdict, withGrade } from './verdict-stages.ts'

/**
 * Finishes a run that has nothing left to do although no step just ended: the last one was a gate, or a question after
 * a step was answered. A result that is not graded yet, although the run has a rubric, is graded first.
 */
export async function finishRun(context: ExecutionContext): Promise<Settled> {
  const finished = [...context.ledger.progress.done].filter(([, { kind }]) => kind !== 'planner')
  const [key, result] = finished.reduce((last, entry) => (entry[1].order > last[1].order ? entry : last), noResult)
  const rubric = result.grade ? undefined : rubricOfRun(context)
  if (!rubric) return succeed(context, result)
  const { content, output } = result
  const turn = `${key}:result@${context.run.attempt}`
  const answer = { key, turn, agentStep: undefined, instruction: '', content, output, calls: [] }
  const grading = await gradeAnswer(context, answer, rubric)
  return settleResult(context, result, { grading, rubric: rubric.rubric })
}

const noResult: readonly [TaskKey, DoneEntry] = [
  '0/',
  { stepId: '', kind: 'agent', content: '', output: null, redacted: false, order: -1 },
]

interface GradedResult extends Pick<OwnedRubric, 'rubric'> {
  readonly grading: Grading
}

/** A result that does not pass fails the run: its step has ended, and cannot revise it. */
async function settleResult(context: ExecutionContext, result: DoneEntry, graded: GradedResult): Promise<Settled> {
  const { grading, rubric } = graded
  if (grading.kind === 'parked') return grading
  if (grading.kind === 'over_ceiling') return endOverCeiling(context, grading)
  if (grading.kind === 'ungraded') return failRun(context, { ...failed(grading.reason), failure: grading.failure })
  if (!grading.grade.passed) return failRun(context, failed(describeGrade(rubric, grading.grade)))
  return succeed(context, { ...result, grade: resultGrade(grading.grade, 0) }, grading.grade.notes)
}

async function succeed(context: ExecutionContext, result: DoneEntry, notes?: string): Promise<Settled> {
  const change = successChange(context, result, withGrade(lastVerdict(context, true), notes))
  await context.ledger.apply({ ...change, memory: await runSliced(runEpisode(context)) })
  return runOver
}

async function failRun(context: ExecutionContext, verdict: Verdict): Promise<Settled> {
  const { run, ledger } = context
  const { failure: reasonCode = 'rubric_not_met' } = verdict
  const failedEvent = workerTransition('fail', { requestId: run.requestId, reasonCode })
  await ledger.apply({ trigger: 'fail', events: [decisionOf(run, { ...verdict, reasonCode }), failedEvent] })
  return runOver
}

/** The completion that crosses the ceiling is metered. Its step gets no end event. */
export async function endOverCeiling(
  context: ExecutionContext,
  { usage, budget }: Pick<OverCeiling, 'usage' | 'budget'>,
): Promise<Settled> {
  const ceiling = { currentValue: context.ledger.tokens, threshold: context.run.tokenLimit }
  const limit = { limitType: 'cost_ceiling', ...(budget ?? ceiling) } as const
  await context.ledger.apply({ trigger: 'exceed_limit', events: [limitExceeded(limit)], usage })
  return runOver
}
