// Rejects a plan with `INPUT_PLAN_INVALID` and a message that begins with the step.
import { listProblems, type PlanProblem, PlanRefusal, type StepPosition } from '@runwright/contract'
import { ServiceError } from '../service-error.ts'

export const planError = (step: StepPosition | undefined, problem: string): ServiceError =>
  refusal(listProblems([{ step, problem }]))

/** Names all problems, so that a client or a model can correct them at once. */
export function refuseProblems(problems: Iterable<PlanProblem>): void {
  const listed = listProblems(problems)
  if (listed.length > 0) throw refusal(listed)
}

/** Reads a plan with the checks of the contract, and says what they refuse as the service does. */
export function refusing<Plan>(read: () => Plan): Plan {
  try {
    return read()
  } catch (error) {
    throw error instanceof PlanRefusal ? refusal(listProblems(error.problems)) : error
  }
}

const refusal = (problems: readonly string[]): ServiceError =>
  new ServiceError('INPUT_PLAN_INVALID', `${problems.join('; ')}.`)
