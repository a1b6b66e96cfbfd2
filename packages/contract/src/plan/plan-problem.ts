// What is wrong with a plan: problems that name the step.
import { shortenText, showName } from '../checks/show-text.ts'

export interface StepPosition {
  readonly index: number
  readonly id?: string | undefined
}

export interface PlanProblem {
  readonly step: StepPosition | undefined
  /** The field of the step, as far as it is about one. */
  readonly field?: string | undefined
  /** A clause without a full stop. */
  readonly problem: string
}

/** Thrown by what reads a plan. */
export class PlanRefusal extends Error {
  readonly problems: readonly PlanProblem[]

  constructor(problems: readonly PlanProblem[]) {
    super(listProblems(problems).join('; '))
    this.name = 'PlanRefusal'
    this.problems = problems
  }
}

export function refusePlan(step: StepPosition | undefined, problem: string, field?: string): never {
  throw new PlanRefusal([{ step, field, problem }])
}

const maxListed = 10
const maxListedLength = 500

/** The first problems, each without a full stop. Others are not looked for. */
export function listProblems(problems: Iterable<PlanProblem>): string[] {
  const listed = new Set<string>()
  for (const problem of problems) {
    listed.add(showProblem(problem))
    if (listed.size === maxListed) break
  }
  return [...listed]
}

export const showProblem = ({ step, problem }: PlanProblem): string =>
  `${showStep(step)}: ${shortenText(problem, maxListedLength)}`

const showStep = (step: StepPosition | undefined): string => {
  if (step === undefined) return 'plan'
  return `plan.steps[${step.index}]${step.id === undefined ? '' : ` (${showName(step.id)})`}`
}
