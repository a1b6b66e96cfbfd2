// Names for the steps of a run. Events have only the id of a task; the steps of the run have both.
import type { RunStep } from '@runwright/client'
import { shortLine } from '../output/safe-text.ts'

export interface NamedStep {
  readonly name: string
  /** A direct call of a tool: its content is only the output of the tool. */
  readonly isTool: boolean
}

const longestName = 24

export class StepNames {
  readonly #readSteps: () => Promise<readonly RunStep[]>
  readonly #known = new Map<string, NamedStep>()

  constructor(readSteps: () => Promise<readonly RunStep[]>) {
    this.#readSteps = readSteps
  }

  async find(taskId: string): Promise<NamedStep> {
    if (!this.#known.has(taskId)) await this.#learn()
    return this.#known.get(taskId) ?? { name: 'step', isTool: false }
  }

  /** The names of the steps of the newest plan. */
  async ofPlan(): Promise<readonly string[]> {
    const steps = await this.#learn()
    const begin = steps.findLastIndex(({ kind }) => kind === 'planner') + 1
    return steps.slice(begin).map(nameOf)
  }

  /** The names of the steps that the run does without. */
  async skipped(): Promise<readonly string[]> {
    const steps = await this.#learn()
    return steps.filter(({ state }) => state === 'skipped').map(nameOf)
  }

  async #learn(): Promise<readonly RunStep[]> {
    const steps = await this.#readSteps()
    for (const step of steps) {
      if (step.task_id !== null) this.#known.set(step.task_id, { name: nameOf(step), isTool: step.kind === 'tool' })
    }
    return steps
  }
}

/** Without a plan, the ids of steps are numbers from 0 on. */
function nameOf({ id, kind }: RunStep): string {
  if (kind === 'planner') return 'plan'
  const [, number] = /^#(\d+)$/.exec(id) ?? []
  return number === undefined ? shortLine(id, longestName) : `step ${Number(number) + 1}`
}
