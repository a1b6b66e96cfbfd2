// The cards of a run: one per step, in the order of the plan, with what has happened to it.

import { isTerminalStatus } from '@runwright/client'
import type { AwaitingInput, GateStep, Plan, PlanStep, RunDetail, RunSignal } from '@runwright/contract'
import { keptSteps } from './kept-steps.ts'
import type { Story, StoryStep } from './story.ts'
import { taskIdOf } from './task-id.ts'

export type CardState =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'retrying'
  | 'succeeded'
  | 'failed'
  | 'stopped'
  /** The run has ended without it. */
  | 'skipped'
  /** Taken over from the run that this one was forked from. */
  | 'kept'

export interface Card {
  readonly key: string
  readonly title: string
  readonly kind: 'agent' | 'tool' | 'gate' | 'planner' | 'step'
  /** The instruction, the tool or the question. */
  readonly task: string | undefined
  readonly state: CardState
  /** Keys of the cards that must end first. */
  readonly dependsOn: readonly string[]
  readonly step: StoryStep | undefined
  /** The answer to a gate. */
  readonly signal: RunSignal | undefined
}

/** A plan is made again at most a few times. */
const mostGenerations = 12
const mostUnplannedSteps = 50

const stepIdOf = (step: PlanStep, index: number): string => step.id ?? `step-${index + 1}`

const dependenciesOf = (steps: readonly PlanStep[], index: number): readonly string[] => {
  const previous = steps[index - 1]
  return steps[index]?.depends_on ?? (previous ? [stepIdOf(previous, index - 1)] : [])
}

interface Named {
  readonly stepId: string
  readonly generation: number
}

function* candidates(runId: string, plan: Plan | null | undefined): Generator<[string, Named]> {
  const planned = plan?.steps.map(stepIdOf) ?? []
  const unplanned = Array.from({ length: mostUnplannedSteps }, (_, index) => `#${index}`)
  for (let generation = 0; generation < mostGenerations; generation += 1) {
    for (const stepId of ['planner', ...planned, ...unplanned]) {
      yield [taskIdOf(runId, generation, stepId), { stepId, generation }]
    }
  }
}

/** Which step a task is. An id is a hash, so that possible steps are tried until one fits. */
export class TaskNames {
  readonly #candidates: Generator<[string, Named]>
  readonly #known = new Map<string, Named>()

  constructor(runId: string, plan: Plan | null | undefined) {
    this.#candidates = candidates(runId, plan)
  }

  get(taskId: string): Named | undefined {
    while (!this.#known.has(taskId)) {
      const next = this.#candidates.next()
      if (next.done) return undefined
      this.#known.set(...next.value)
    }
    return this.#known.get(taskId)
  }
}

const isGate = (step: PlanStep): step is GateStep => 'await_input' in step

const taskText = (step: PlanStep): string | undefined => {
  if ('instruction' in step) return step.instruction
  return 'tool' in step ? `Calls ${step.tool}` : (step.await_input.prompt ?? 'Waits for a person')
}

const kindOf = (step: PlanStep): Card['kind'] => (isGate(step) ? 'gate' : 'tool' in step ? 'tool' : 'agent')

interface CardSources {
  readonly run: Pick<RunDetail, 'status' | 'plan' | 'awaiting_input' | 'signals' | 'forked_from'>
  readonly story: Story
  readonly names: TaskNames
}

/** Steps of earlier plans, the planner and steps without a plan come first, in the order in which they began. */
export const cardsOf = ({ run, story, names }: CardSources): Card[] => {
  const hasEnded = isTerminalStatus(run.status)
  const steps = run.plan?.steps ?? []
  const ids = new Set(steps.map(stepIdOf))
  const latest = latestOf(story, names, ids)
  const others = story.steps.filter((step) => !latest.has(step))
  const byStep = new Map([...latest].map(([step, stepId]) => [stepId, step]))
  const dependencies = new Map(steps.map((step, index) => [stepIdOf(step, index), dependenciesOf(steps, index)]))
  const kept = keptSteps(dependencies, run.forked_from)
  const gates = gateStates(steps, run, kept)
  const planned = steps.map((step, index) => {
    const key = stepIdOf(step, index)
    const done = byStep.get(key)
    const gate = gates.get(key)
    const state = isGate(step) ? gateState(gate, hasEnded) : stateOf(done, hasEnded)
    return {
      key,
      title: key,
      kind: kindOf(step),
      task: gate?.question ?? taskText(step),
      state: kept.has(key) && !done ? ('kept' as const) : state,
      dependsOn: dependencies.get(key) ?? [],
      step: done,
      signal: gate?.signal,
    }
  })
  return [
    ...others.map((step, index) => unplannedCard(step, { index, hasEnded, name: names.get(step.taskId) })),
    ...planned,
  ]
}

/** The tasks of the current plan: of the newest generation, if a step of that id ran in several. */
const latestOf = (story: Story, names: TaskNames, ids: ReadonlySet<string>) => {
  const newest = new Map<string, { step: StoryStep; generation: number }>()
  for (const step of story.steps) {
    const name = names.get(step.taskId)
    if (!name || !ids.has(name.stepId)) continue
    const known = newest.get(name.stepId)
    if (!known || known.generation < name.generation) newest.set(name.stepId, { step, generation: name.generation })
  }
  return new Map([...newest].map(([stepId, { step }]) => [step, stepId]))
}

const stateOf = (step: StoryStep | undefined, hasEnded: boolean): CardState => {
  if (!step) return hasEnded ? 'skipped' : 'pending'
  return hasEnded && (step.state === 'running' || step.state === 'retrying') ? 'stopped' : step.state
}

interface GateState {
  readonly signal: RunSignal | undefined
  readonly question: string | undefined
}

const gateState = (gate: GateState | undefined, hasEnded: boolean): CardState => {
  if (!gate) return hasEnded ? 'skipped' : 'pending'
  if (!gate.signal) return hasEnded ? 'stopped' : 'waiting'
  return gate.signal.action === 'reject' ? 'failed' : 'succeeded'
}

/** Events do not name the gate that waits, so the questions are matched by their reason, in the order of the plan. */
const gateStates = (
  steps: readonly PlanStep[],
  { signals = [], awaiting_input }: Pick<RunDetail, 'signals' | 'awaiting_input'>,
  kept: ReadonlySet<string>,
): ReadonlyMap<string, GateState> => {
  const states = new Map<string, GateState>()
  const gates = steps
    .flatMap((step, index) => (isGate(step) ? [{ key: stepIdOf(step, index), gate: step.await_input }] : []))
    .filter(({ key }) => !kept.has(key))
  const claim = (asked: Pick<AwaitingInput, 'reason_code' | 'tool' | 'prompt'>, signal: RunSignal | undefined) => {
    if (asked.tool !== null) return
    const found = gates.find(
      ({ key, gate }) => !states.has(key) && (gate.reason_code ?? 'input_required') === asked.reason_code,
    )
    if (found) states.set(found.key, { signal, question: asked.prompt ?? undefined })
  }
  for (const signal of signals) claim(signal.asked, signal)
  if (awaiting_input) claim(awaiting_input, undefined)
  return states
}

interface UnplannedOptions {
  readonly index: number
  readonly hasEnded: boolean
  readonly name: Named | undefined
}

const titleOf = (name: Named | undefined, index: number): string => {
  if (!name) return `Step ${index + 1}`
  if (name.stepId === 'planner') return name.generation > 1 ? `Planner, plan ${name.generation}` : 'Planner'
  return name.stepId.startsWith('#') ? `Step ${Number(name.stepId.slice(1)) + 1}` : `${name.stepId} (earlier plan)`
}

const unplannedCard = (step: StoryStep, { index, hasEnded, name }: UnplannedOptions): Card => ({
  key: step.taskId || `step-${index}`,
  title: titleOf(name, index),
  kind: name?.stepId === 'planner' ? 'planner' : 'step',
  task: undefined,
  state: stateOf(step, hasEnded),
  dependsOn: [],
  step,
  signal: undefined,
})
