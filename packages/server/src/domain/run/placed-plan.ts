// A plan of a run, and the task key of each of its steps. A step that the plan took over from an earlier one keeps its
// key, so what it has done and what was answered still counts.
import type { ResolvedPlan, ResolvedStep } from '../plan/plan.ts'
import { type TaskKey, taskKey } from './journal.ts'

interface Place {
  readonly generation: number
  /** The generations of the steps that are older than the plan. */
  readonly carried?: ReadonlyMap<string, number> | undefined
}

/** A plan that was replaced. */
export interface PastPlan {
  readonly steps: readonly { readonly step: ResolvedStep; readonly isDone: boolean }[]
  /** Why it was replaced. */
  readonly reason: string | undefined
}

export class PlacedPlan {
  readonly plan: ResolvedPlan
  readonly #place: Place
  readonly #keys: ReadonlySet<TaskKey>

  constructor(plan: ResolvedPlan, place: Place) {
    this.plan = plan
    this.#place = place
    this.#keys = new Set(plan.steps.map(({ id }) => this.keyOf(id)))
  }

  generationOf(stepId: string): number {
    return this.#place.carried?.get(stepId) ?? this.#place.generation
  }

  keyOf(stepId: string): TaskKey {
    return taskKey(this.generationOf(stepId), stepId)
  }

  has(key: TaskKey): boolean {
    return this.#keys.has(key)
  }
}
