// How a plan is refused: the reason code, and a sentence that begins with the step.
import { ServiceError } from './service-error.ts'

const maxShownLength = 128

/** A name that a client gave, as quoted text of bounded length. */
export const showName = (name: string): string =>
  JSON.stringify(name.length <= maxShownLength ? name : `${name.slice(0, maxShownLength)}…`)

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
