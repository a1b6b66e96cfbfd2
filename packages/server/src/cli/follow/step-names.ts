// Names for the steps of a run. Events have only the id of a step; the plan has the names.
import type { Plan } from '@runwright/client'
import { plannerStepId, taskKey } from '../../domain/run/journal.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import { fromWireId } from '../../runtime/ids.ts'
import { shortLine } from '../output/safe-text.ts'

export interface NamedStep {
  readonly name: string
  /** A direct call of a tool: its content is only the output of the tool. */
  readonly isTool: boolean
}

/** More plans than a run makes. */
const generations = 12
const longestName = 24

export class StepNames {
  readonly #runId: string
  readonly #readPlan: () => Promise<Plan | null>
  readonly #known = new Map<string, NamedStep>()
  #numbered = 0

  constructor(runId: string, readPlan: () => Promise<Plan | null>) {
    this.#runId = runId
    this.#readPlan = readPlan
    this.#learn(plannerStepId, { name: 'plan', isTool: false })
  }

  async find(taskId: string): Promise<NamedStep> {
    if (!this.#known.has(taskId)) await this.readPlan()
    return this.#known.get(taskId) ?? this.#numberOf(taskId)
  }

  /** Returns the names of the steps; empty if there is no plan. */
  async readPlan(): Promise<readonly string[]> {
    const steps = (await this.#readPlan())?.steps ?? []
    return steps.map((step, index) => {
      const id = step.id ?? `step ${index + 1}`
      const name = shortLine(id, longestName)
      this.#learn(id, { name, isTool: 'tool' in step })
      return name
    })
  }

  /** The id of a task is derived from its step. A service that derives it in another way gets numbers as names. */
  #learn(stepId: string, step: NamedStep): void {
    const uuid = fromWireId('run', this.#runId)
    if (uuid === undefined) return
    for (let generation = 0; generation < generations; generation += 1) {
      this.#known.set(derivedWireId('task', uuid, taskKey(generation, stepId)), step)
    }
  }

  #numberOf(taskId: string): NamedStep {
    this.#numbered += 1
    const step = { name: `step ${this.#numbered}`, isTool: false }
    this.#known.set(taskId, step)
    return step
  }
}
