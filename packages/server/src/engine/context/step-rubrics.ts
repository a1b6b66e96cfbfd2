// What the answer of a step is graded against, and whether the judge is asked about the step as well.
import type { JudgeMode } from '@runwright/contract'
import type { ResolvedAgentStep } from '../../domain/plan/plan.ts'
import { isRubricProblem, type Rubric, type RubricProblem, readRubric } from '../../domain/rubric/rubric.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { RubricOwner } from '../../domain/run/turn-log.ts'
import type { ExecutionContext } from './execution-context.ts'
import { agentOf } from './step-agent.ts'

export interface OwnedRubric {
  readonly of: RubricOwner
  readonly rubric: Rubric | RubricProblem
}

/** That of its agent, and that of the run if the step gives the result of the run. */
export function rubricsOf(context: ExecutionContext, { key, step }: Task): readonly OwnedRubric[] {
  const { progress } = context.ledger
  // A step of an outdated plan is not executed again.
  if (step.kind !== 'agent' || !progress.isCurrent(key)) return []
  const given = agentOf(context, step)?.rubric
  const ofAgent = given && readRubric(given, { at: ['rubric'], of: 'agent' })
  const ofRun = progress.givesResult(key) ? rubricOfRun(context) : undefined
  return [...(ofAgent ? [{ of: 'agent' as const, rubric: ofAgent }] : []), ...(ofRun ? [ofRun] : [])]
}

/** Whether a rubric may be applied to the step. Which ones are known when it ends. */
export const mayBeGraded = (context: ExecutionContext, step: ResolvedAgentStep): boolean =>
  context.run.input.rubric !== undefined || agentOf(context, step)?.rubric !== undefined

export function rubricOfRun({ run, inputs }: ExecutionContext): OwnedRubric | undefined {
  const { rubric: given } = run.input
  if (given === undefined) return undefined
  const reading = { at: ['input', 'rubric'], of: 'run' } as const
  const rubric = readRubric(given, reading)
  if (isRubricProblem(rubric) || !run.secrets) return { of: 'run', rubric }
  const input = inputs.shown.input as { readonly rubric?: unknown } | undefined
  return { of: 'run', rubric: withoutSecrets(rubric, readRubric(input?.rubric, reading)) }
}

/** The texts as a model may see them. */
function withoutSecrets(rubric: Rubric, shown: Rubric | RubricProblem): Rubric | RubricProblem {
  if (isRubricProblem(shown) || shown.scores.length !== rubric.scores.length)
    return { problem: 'input.rubric has tagged values in parts that the judge needs' }
  return { ...rubric, criteria: shown.criteria, scores: shown.scores }
}

/**
 * What the step says, else the plan, else the agent. A grade is a judgement, so that the judge is not asked again about
 * a step that has one, unless one of them says so. The sandbox costs nothing, and its script goes on.
 */
export function judgeModeOf(context: ExecutionContext, task: Task, step: ResolvedAgentStep): JudgeMode {
  const said = step.judge ?? context.ledger.progress.plan?.judge ?? agentOf(context, step)?.judge
  if (said !== undefined) return said
  const isScripted = context.models.judge[0]?.readsPrompt === false
  return !isScripted && rubricsOf(context, task).length > 0 ? 'never' : 'each_step'
}
