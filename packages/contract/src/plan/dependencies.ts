// Fills in missing ids and dependencies of a plan's steps, and rejects unknown dependencies and cycles.
import { showName } from '../checks/show-text.ts'
import type { PlanStep } from '../schemas/plan.ts'
import { refusePlan } from './plan-problem.ts'

/** The ids that each step depends on, in the order of the plan. */
export type StepDependencies = ReadonlyMap<string, ReadonlySet<string>>

/**
 * A step without an id gets `step_<position>`, or `step_<position>_2` and so on if that id is taken. `others` are ids
 * of steps outside of these.
 */
export function assignStepIds(steps: readonly PlanStep[], others: ReadonlySet<string> = new Set()): string[] {
  const taken = new Map<string, number>()
  for (const [index, { id }] of steps.entries()) {
    if (id === undefined) continue
    const first = taken.get(id)
    if (first !== undefined) refusePlan({ index, id }, `has the same id as plan.steps[${first}]`, 'id')
    taken.set(id, index)
  }
  return steps.map(({ id }, index) => {
    if (id !== undefined) return id
    const made = findFree(`step_${index + 1}`, (name) => taken.has(name) || others.has(name))
    taken.set(made, index)
    return made
  })
}

function findFree(wanted: string, isTaken: (id: string) => boolean): string {
  let id = wanted
  for (let n = 2; isTaken(id); n += 1) id = `${wanted}_${n}`
  return id
}

const field = 'depends_on'

/** Without `depends_on`, a step depends on the one before it. `others` are steps outside of these. */
export function resolveDependencies(
  steps: readonly PlanStep[],
  ids: readonly string[],
  others: ReadonlySet<string> = new Set(),
): StepDependencies {
  const known = new Set([...ids, ...others])
  const dependencies = new Map<string, ReadonlySet<string>>()
  for (const [index, step] of steps.entries()) {
    const id = ids[index] as string
    const given = step.depends_on ?? ids.slice(Math.max(index - 1, 0), index)
    const missing = given.find((dependency) => !known.has(dependency))
    if (missing !== undefined) refusePlan({ index, id }, `depends on an unknown step: ${showName(missing)}`, field)
    if (given.includes(id)) refusePlan({ index, id }, 'depends on itself', field)
    dependencies.set(id, new Set(given))
  }
  return dependencies
}

export function refuseCycles(dependencies: StepDependencies): void {
  const ids = [...dependencies.keys()]
  const finished = new Set<string>()
  for (const id of ids) {
    const cycle = findCycle(id, dependencies, finished)
    if (cycle !== undefined)
      refusePlan(
        { index: ids.indexOf(id), id },
        `is part of a dependency cycle or depends on one: ${cycle.map(showName).join(' → ')}`,
        field,
      )
  }
}

/** Depth-first search; recurses at most once per step of the plan. */
function findCycle(
  id: string,
  dependencies: StepDependencies,
  finished: Set<string>,
  trail: readonly string[] = [],
): string[] | undefined {
  if (finished.has(id)) return undefined
  if (trail.includes(id)) return [...trail.slice(trail.indexOf(id)), id]
  for (const dependency of dependencies.get(id) ?? []) {
    const cycle = findCycle(dependency, dependencies, finished, [...trail, id])
    if (cycle !== undefined) return cycle
  }
  finished.add(id)
  return undefined
}

/** The direct and indirect dependencies of each step. The plan must not have cycles. */
export function findAncestors(dependencies: StepDependencies): Map<string, ReadonlySet<string>> {
  const ancestors = new Map<string, ReadonlySet<string>>()
  const visit = (id: string): ReadonlySet<string> => {
    const known = ancestors.get(id)
    if (known !== undefined) return known
    const own = new Set<string>()
    // The last one first: it often depends on the others, whose ancestors are then known.
    for (const dependency of [...(dependencies.get(id) ?? [])].reverse()) {
      if (own.has(dependency)) continue
      own.add(dependency)
      for (const ancestor of visit(dependency)) own.add(ancestor)
    }
    ancestors.set(id, own)
    return own
  }
  for (const id of dependencies.keys()) visit(id)
  return ancestors
}
