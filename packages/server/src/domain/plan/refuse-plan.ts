// Rejects a plan with `INPUT_PLAN_INVALID` and a message that begins with the step.
import { ServiceError } from '../service-error.ts'
import { showName } from '../text.ts'

export interface StepPosition {
  readonly index: number
  readonly id?: string | undefined
}

export function refusePlan(step: StepPosition | undefined, problem: string): never {
  throw planError(step, problem)
}

export const planError = (step: StepPosition | undefined, problem: string): ServiceError =>
  new ServiceError('INPUT_PLAN_INVALID', `${showStep(step)}: ${problem}.`)

const showStep = (step: StepPosition | undefined): string => {
  if (step === undefined) return 'plan'
  return `plan.steps[${step.index}]${step.id === undefined ? '' : ` (${showName(step.id)})`}`
}
