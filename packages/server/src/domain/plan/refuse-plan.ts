// How a plan is refused: the reason code, and a sentence that begins with the step.
import { ServiceError } from '../service-error.ts'
import { showName } from '../text.ts'

interface StepPlace {
  readonly index: number
  readonly id?: string | undefined
}

export function refusePlan(place: StepPlace | undefined, problem: string): never {
  throw new ServiceError('INPUT_PLAN_INVALID', `${showPlace(place)}: ${problem}.`)
}

const showPlace = (place: StepPlace | undefined): string => {
  if (place === undefined) return 'plan'
  return `plan.steps[${place.index}]${place.id === undefined ? '' : ` (${showName(place.id)})`}`
}
