// The cards of a run: one per step, as the service lists them, with what its events tell.
import type { PlanStep, RunDetail, RunSignal, RunStep } from '@runwright/contract'
import type { Story, StoryStep } from './story.ts'

/** `kept`: taken over from the run that this one was forked from. */
export type CardState = RunStep['state'] | 'kept'

export interface Card extends Pick<RunStep, 'kind' | 'error' | 'started_at' | 'ended_at'> {
  readonly key: string
  readonly title: string
  /** The instruction, the tool or the question. */
  readonly task: string | undefined
  readonly state: CardState
  /** Keys of the cards that must end first. */
  readonly dependsOn: readonly string[]
  readonly step: StoryStep | undefined
  /** The answer to a gate. */
  readonly signal: RunSignal | undefined
}

interface CardSources {
  readonly run: Pick<RunDetail, 'plan' | 'steps' | 'awaiting_input' | 'signals' | 'forked_from'>
  readonly story: Story
}

export function cardsOf({ run, story }: CardSources): Card[] {
  const steps = run.steps ?? []
  const planned = run.plan?.steps ?? []
  const first = placeOfPlan(steps, planned)
  const told = new Map(story.steps.map((step) => [step.taskId, step]))
  return steps.map((step, index) => {
    const inPlan = planned[index - first]
    const gate = step.kind === 'gate' ? gateOf(step, run) : undefined
    return {
      key: inPlan ? step.id : (step.task_id ?? `${index}-${step.id}`),
      title: titleOf(steps, index, { isCurrent: inPlan !== undefined || planned.length === 0 }),
      kind: step.kind,
      task: gate?.question ?? (inPlan && taskText(inPlan)),
      state: isKept(step, run) ? 'kept' : step.state,
      dependsOn: inPlan ? dependenciesOf(inPlan, index === first ? undefined : steps[index - 1]?.id) : [],
      step: step.task_id === null ? undefined : told.get(step.task_id),
      signal: gate?.signal,
      error: step.error,
      started_at: step.started_at,
      ended_at: step.ended_at,
    }
  })
}

/** What a fork has taken over has no times: it happened in the other run. */
const isKept = ({ state, ended_at }: RunStep, { forked_from }: CardSources['run']): boolean =>
  Boolean(forked_from) && state === 'succeeded' && ended_at === null

const dependenciesOf = ({ depends_on }: PlanStep, previous: string | undefined): readonly string[] =>
  depends_on ?? (previous === undefined ? [] : [previous])

function titleOf(steps: readonly RunStep[], index: number, { isCurrent }: { readonly isCurrent: boolean }): string {
  const { id, kind } = steps[index] as RunStep
  if (kind === 'planner') {
    const plans = steps.slice(0, index + 1).filter((step) => step.kind === 'planner').length
    return plans > 1 ? `Planner, plan ${plans}` : 'Planner'
  }
  if (id.startsWith('#')) return `Step ${Number(id.slice(1)) + 1}`
  return isCurrent ? id : `${id} (earlier plan)`
}

const taskText = (step: PlanStep): string | undefined => {
  if ('instruction' in step) return step.instruction
  return 'tool' in step ? `Calls ${step.tool}` : (step.await_input.prompt ?? 'Asks a person')
}

interface Gate {
  readonly signal: RunSignal | undefined
  /** As it was asked, with its templates filled in. */
  readonly question: string | undefined
}

/** Signals do not name the gate that they answer. It ends with its answer, at the same moment. */
function gateOf({ state, ended_at }: RunStep, { signals = [], awaiting_input }: CardSources['run']): Gate {
  const signal = signals.find(({ at, asked }) => at === ended_at && asked.tool === null)
  const asked = signal?.asked ?? (state === 'waiting' ? awaiting_input : undefined)
  return { signal, question: asked?.prompt ?? undefined }
}

const kindOf = (step: PlanStep): RunStep['kind'] => ('instruction' in step ? 'agent' : 'tool' in step ? 'tool' : 'gate')

const isStepOf = (step: RunStep | undefined, planned: PlanStep): boolean =>
  step?.kind === kindOf(planned) && (planned.id ?? step.id) === step.id

/**
 * Where the steps of the current plan begin in the list of all steps: they are next to each other, in the order of the
 * plan. Steps of earlier plans, planners and steps without a plan stand around them. A plan may leave out ids. Behind
 * the end if the plan is not in the list, because it was read at another moment.
 */
function placeOfPlan(steps: readonly RunStep[], planned: readonly PlanStep[]): number {
  for (let first = steps.length - planned.length; first >= 0; first -= 1) {
    if (planned.every((step, index) => isStepOf(steps[first + index], step))) return first
  }
  return steps.length
}
