// Reads a plan as the service does when it is sent, and finds what is wrong with it while it is written.
import type { PlanStep } from '../schemas/plan.ts'
import { templateProblems } from './check-templates.ts'
import { assignStepIds, refuseCycles, resolveDependencies, type StepDependencies } from './dependencies.ts'
import { type PlanProblem, PlanRefusal } from './plan-problem.ts'
import { type PlanShape, readPlanShape } from './plan-shape.ts'

interface ReadPlan extends PlanShape {
  /** The ids of the steps, in their order; generated where a step has none. */
  readonly ids: readonly string[]
  readonly dependencies: StepDependencies
}

/** Throws a `PlanRefusal`. Does not look at templates, nor at the tools and agents that the plan names. */
export function readPlan(value: unknown): ReadPlan {
  const shape = readPlanShape(value)
  const ids = assignStepIds(shape.steps)
  const dependencies = resolveDependencies(shape.steps, ids)
  refuseCycles(dependencies)
  return { ...shape, ids, dependencies }
}

/** What the service would refuse, whatever tools and agents it has. */
export function findPlanProblems(value: unknown): readonly PlanProblem[] {
  try {
    const { steps, ids, dependencies } = readPlan(value)
    const templated = steps.map((step, index) => {
      const id = ids[index] as string
      return { id, dependsOn: [...(dependencies.get(id) ?? [])], templated: templatedPartOf(step) }
    })
    return [...templateProblems(templated)].map((problem) => {
      const step = steps[problem.step?.index ?? 0]
      return step === undefined ? problem : { ...problem, field: templatedFieldOf(step) }
    })
  } catch (error) {
    if (error instanceof PlanRefusal) return error.problems
    throw error
  }
}

const templatedFieldOf = (step: PlanStep): string => {
  if ('instruction' in step) return 'instruction'
  return 'tool' in step ? 'input' : 'await_input'
}

/** The part of a step that may contain templates: its instruction, its input, or a gate's prompt. */
function templatedPartOf(step: PlanStep): unknown {
  if ('instruction' in step) return step.instruction
  return 'tool' in step ? step.input : step.await_input.prompt
}
