// The steps of a plan that a model cannot leave out. A plan is a contract: the client that made it, and the person who
// approves a part of it, rely on what it says.
//
//   stop    a client's plan goes on to its end. A planner's plan loses its agent and tool steps, but not those that ask
//           a person, what comes after the question, and what all of these need.
//   replan  what asks a person stays as it is. In a client's plan, so does everything that depends on it.
import { findAncestors } from '@runwright/contract'
import type { ResolvedStep } from './plan.ts'

export interface StepsOfPlan {
  readonly steps: readonly ResolvedStep[]
  /** Whether the step came with the run. */
  readonly isClients: (id: string) => boolean
  /** Whether the step has ended, or its gate was answered. */
  readonly isDone: (id: string) => boolean
}

const asksPerson = (step: ResolvedStep): boolean => step.kind === 'gate' || step.approvalRequired

type Ancestors = ReadonlyMap<string, ReadonlySet<string>>

export const ancestorsIn = (steps: readonly ResolvedStep[]): Ancestors =>
  findAncestors(new Map(steps.map(({ id, dependsOn }) => [id, new Set(dependsOn)])))

const hasAny = (ids: ReadonlySet<string> | undefined, wanted: readonly string[]): boolean =>
  wanted.some((id) => ids?.has(id))

/** The ids of the steps that happen although the judge has said stop, without those that are done. */
export function stepsAfterStop({ steps, isClients, isDone }: StepsOfPlan): ReadonlySet<string> {
  const ancestors = ancestorsIn(steps)
  const asking = steps.filter((step) => asksPerson(step) && !isDone(step.id)).map(({ id }) => id)
  const wanted = steps.filter(({ id }) => isClients(id) || asking.includes(id) || hasAny(ancestors.get(id), asking))
  const needed = wanted.flatMap(({ id }) => [id, ...(ancestors.get(id) ?? [])])
  return new Set(needed.filter((id) => !isDone(id)))
}

/** The ids of the steps that a new plan has to contain unchanged, done or not. */
export function stepsThatStay({ steps, isClients }: StepsOfPlan): ReadonlySet<string> {
  const ancestors = ancestorsIn(steps)
  const asking = steps.filter(asksPerson).map(({ id }) => id)
  const stays = ({ id }: ResolvedStep) => asking.includes(id) || (isClients(id) && hasAny(ancestors.get(id), asking))
  return new Set(steps.filter(stays).map(({ id }) => id))
}
