// Rejects a plan with `INPUT_PLAN_INVALID` and a message that begins with the step.
import { ServiceError } from '../service-error.ts'
import { shortenText, showName } from '../text.ts'

export interface StepPosition {
  readonly index: number
  readonly id?: string | undefined
}

export function refusePlan(step: StepPosition | undefined, problem: string): never {
  throw planError(step, problem)
}

export const planError = (step: StepPosition | undefined, problem: string): ServiceError =>
  refusal([showProblem({ step, problem })])

export interface PlanProblem {
  readonly step: StepPosition | undefined
  /** A clause without a full stop. */
  readonly problem: string
}

const maxListed = 10
const maxListedLength = 500

/** Names all problems, so that a client or a model can correct them at once. */
export function refuseProblems(problems: Iterable<PlanProblem>): void {
  const listed = listProblems(problems)
  if (listed.length > 0) throw refusal(listed)
}

/** The first problems, each without a full stop. Others are not looked for. */
export function listProblems(problems: Iterable<PlanProblem>): string[] {
  const listed = new Set<string>()
  for (const problem of problems) {
    listed.add(showProblem(problem))
    if (listed.size === maxListed) break
  }
  return [...listed]
}

const showProblem = ({ step, problem }: PlanProblem): string =>
  `${showStep(step)}: ${shortenText(problem, maxListedLength)}`

const refusal = (problems: readonly string[]): ServiceError =>
  new ServiceError('INPUT_PLAN_INVALID', `${problems.join('; ')}.`)

const showStep = (step: StepPosition | undefined): string => {
  if (step === undefined) return 'plan'
  return `plan.steps[${step.index}]${step.id === undefined ? '' : ` (${showName(step.id)})`}`
}
