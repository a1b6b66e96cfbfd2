// Where the steps of the current plan stand in the list of all steps: they are next to each other, in the order of the
// plan. Steps of earlier plans, planners and steps without a plan stand around them. A plan may leave out ids.
import type { PlanStep, RunStep } from '@runwright/contract'

const kindOf = (step: PlanStep): RunStep['kind'] => ('instruction' in step ? 'agent' : 'tool' in step ? 'tool' : 'gate')

const isStepOf = (step: RunStep | undefined, planned: PlanStep): boolean =>
  step?.kind === kindOf(planned) && (planned.id ?? step.id) === step.id

/** The index of the first one. Behind the end if the plan is not in the list, because it was read at another moment. */
export function placeOfPlan(steps: readonly RunStep[], planned: readonly PlanStep[]): number {
  for (let first = steps.length - planned.length; first >= 0; first -= 1) {
    if (planned.every((step, index) => isStepOf(steps[first + index], step))) return first
  }
  return steps.length
}
