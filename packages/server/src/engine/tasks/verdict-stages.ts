// The stages of the verdict about a step that succeeded. Each takes the verdict of the one before and may overrule it.
import type { ResultGrade } from '../../domain/run/journal.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { type OwnedRubric, rubricOfRun } from '../context/step-rubrics.ts'
import { isJudged, type Judgement, judgeStep, type Verdict, verdictByRule } from './judge-step.ts'
import type { OtherTasks, TaskSucceeded } from './task-end.ts'

/** A step that succeeded, and what happens around it. The stages read it and do not change it. */
export interface SucceededStep {
  readonly context: ExecutionContext
  readonly end: TaskSucceeded
  readonly others: OtherTasks
  /** By the rubric of the run. Undefined: the step was not graded by it. */
  readonly grade?: ResultGrade | undefined
}

/**
 * A model judges agent steps. The rule judges tool steps, steps of an outdated plan, and those that an agent exempts.
 */
export async function judged({ context, end, others }: SucceededStep): Promise<Judgement> {
  const { progress } = context.ledger
  const { task } = end
  if (progress.isStopping) {
    const isLast = progress.isLast(task.key) ?? others.keys.length === 0
    return { kind: 'verdict', verdict: lastVerdict(context, isLast) }
  }
  // A step of an outdated plan does not decide what comes next.
  if (!progress.isCurrent(task.key)) return byRule(false)
  if (!isJudged(context, task)) return byRule(progress.isLast(task.key) ?? true)
  return judgeStep(context, end)
}

const byRule = (isLast: boolean): Judgement => ({ kind: 'verdict', verdict: verdictByRule(isLast) })

/** The end of a run in which the judge has said stop before. */
export function lastVerdict({ ledger: { progress } }: ExecutionContext, isLast: boolean): Verdict {
  const verdict = verdictByRule(isLast)
  return isLast && progress.hasSkipped ? { ...verdict, reasonCode: 'steps_skipped' } : verdict
}

/** A judge that never stops is stopped by a limit, always as a failure and never as a success. */
export function withinLimits({ context, end: { task } }: SucceededStep, verdict: Verdict): Verdict {
  const { progress } = context.ledger
  // A script ends by itself.
  if (context.models.judge[0]?.readsPrompt === false) return verdict
  const { maxReplans, maxSteps } = context.parts.limits
  if (verdict.decision === 'replan' && progress.replans >= maxReplans) return stopped(verdict, 'replan_limit')
  const isUnplanned = !task.planned && progress.plan === undefined
  if (verdict.decision === 'continue' && isUnplanned && progress.unplannedSteps + 1 >= maxSteps) {
    return stopped(verdict, 'step_limit')
  }
  return verdict
}

const stopped = (verdict: Verdict, failure: 'replan_limit' | 'step_limit'): Verdict => ({
  ...verdict,
  decision: 'stop',
  reasonCode: failure,
  failure,
})

/** A plan is a contract: it goes on although the judge sees the goal reached, as far as people rely on its steps. */
export function boundByPlan({ context, end, others }: SucceededStep, verdict: Verdict): Verdict {
  if (verdict.said?.decision !== 'stop' || verdict.failure !== undefined) return verdict
  const { required, skips } = context.ledger.progress.afterStop(end.task.key, others.keys)
  if (required.length === 0) return skips ? { ...verdict, reasonCode: 'steps_skipped' } : verdict
  return { ...verdict, decision: 'continue', reasonCode: 'plan_goes_on', ...(skips && { required }) }
}

/** Where the judge is overruled, the reason code says why. */
export function withNote({ end: { note } }: SucceededStep, verdict: Verdict): Verdict {
  if (note === undefined) return verdict
  const { decision, said, failure } = verdict
  const isAsSaid = said === undefined || said.decision === decision
  const isTold = (decision === 'continue' || decision === 'stop') && isAsSaid && !failure
  return isTold ? { ...verdict, reasonCode: note } : verdict
}

/** Where the judge was asked for a grade only, its notes are what it said. */
export function withGrade(verdict: Verdict, notes: string | undefined): Verdict {
  if (notes === undefined || verdict.said !== undefined || verdict.reasonCode === 'judge_unreadable') return verdict
  return { ...verdict, said: { decision: verdict.decision, reason: notes === '' ? passed : notes } }
}

const passed = 'The answer passes its rubric.'

const endsRun = ({ others }: SucceededStep, { decision, failure }: Verdict): boolean =>
  decision === 'stop' && failure === undefined && others.keys.length === 0

/** A tool cannot revise its output. The run goes on to its end, where the result is graded. */
export function leftToGrade(step: SucceededStep, verdict: Verdict): Verdict {
  const isTool = step.end.task.step.kind === 'tool'
  if (!isTool || !endsRun(step, verdict) || !rubricOfRun(step.context)) return verdict
  return { ...verdict, decision: 'continue', reasonCode: 'step_done' }
}

/** The rubric of the run, if the run would succeed with a result that was not graded. */
export const endsUngraded = (step: SucceededStep, verdict: Verdict): OwnedRubric | undefined =>
  endsRun(step, verdict) && !step.grade ? rubricOfRun(step.context) : undefined
