// Joins a planner's new plan with what stays of the plan before it:
//
//   the steps that are done, as far as others build on them
//   the planner's steps. One with the id of a step that stays is that step; one with another id of the old plan takes
//     its place
//   the steps that stay and that the planner left out
//
// Steps that stay wait for the planner's steps, unless those depend on them: a person is asked about the new work. A
// step that a template of another one names cannot be dropped either; the planner can plan it again, under the same id.
// So it is with a step that stays but cannot be executed as it is written. A person is still asked about it.
import {
  assignStepIds,
  findAncestors,
  type Plan,
  type PlanStep,
  readPlanShape,
  readTemplates,
  refuseCycles,
  refusePlan,
  resolveDependencies,
  stringsIn,
} from '@runwright/contract'
import { ancestorsIn, type StepsOfPlan, stepsThatStay } from './lasting-steps.ts'
import { type ResolvedPlan, type ResolvedStep, templatedPart, toWire } from './plan.ts'
import { refusing } from './refuse-plan.ts'

/** The plan that is to be replaced. */
export interface PlanBefore extends StepsOfPlan, Pick<ResolvedPlan, 'goal' | 'judge'> {
  /** Whether the step was started. */
  readonly hasBegun: (id: string) => boolean
  /** The generation of plans that began it. */
  readonly generationOf: (id: string) => number
  /** Whether the step could not be executed as it is written. */
  readonly isBroken?: (id: string) => boolean
}

export interface KeptSteps {
  readonly before: PlanBefore
  /** Not done. They stay as they are. */
  readonly staying: readonly ResolvedStep[]
  /** Not done. Templates of steps that stay name them, so they stay unless the planner plans them again. */
  readonly needed: readonly ResolvedStep[]
  /** Not done. They would stay, but cannot be executed as they are written: the planner can plan them again. */
  readonly broken: readonly ResolvedStep[]
}

export function keptSteps(before: PlanBefore): KeptSteps {
  const fixed = stepsThatStay(before)
  const open = before.steps.filter(({ id }) => !before.isDone(id))
  const isBroken = ({ id }: ResolvedStep) => before.isBroken?.(id) === true
  const broken = open.filter((step) => fixed.has(step.id) && isBroken(step))
  const staying = open.filter((step) => (fixed.has(step.id) || before.hasBegun(step.id)) && !isBroken(step))
  const lasting = [...staying, ...broken]
  const needed = new Set<string>()
  for (const found = [...staying]; found.length > 0; ) {
    const named = namedBy(found.pop() as ResolvedStep, before)
    const more = open.filter((step) => named.has(step.id) && !lasting.includes(step) && !needed.has(step.id))
    for (const step of more) needed.add(step.id)
    found.push(...more)
  }
  return { before, staying, needed: open.filter(({ id }) => needed.has(id)), broken }
}

/** Whether the run goes on with the plan before if no new one can be used. */
export const keepsPlan = ({ before, staying, broken }: KeptSteps): boolean =>
  staying.length > 0 || broken.length > 0 || before.steps.some(({ id }) => before.isClients(id) && !before.isDone(id))

/** The ids of the steps that the templates of a step name. */
function namedBy(step: ResolvedStep, { steps }: PlanBefore): ReadonlySet<string> {
  const ids = new Set(steps.map(({ id }) => id))
  const named = stringsIn(templatedPart(step)).flatMap((text) => {
    const read = readTemplates(text, ids, { literalBraces: true })
    return read.ok ? read.parts : []
  })
  return new Set(
    named.flatMap((part) => (typeof part === 'object' && part.source.kind === 'step' ? [part.source.stepId] : [])),
  )
}

export interface JoinedPlan {
  /** Not checked yet. */
  readonly wire: Plan
  /** The steps that are those of the plan before. */
  readonly kept: readonly string[]
}

/** Throws `INPUT_PLAN_INVALID` if the planner's steps cannot be joined with what stays. */
export const planAgain = (kept: KeptSteps, made: unknown): JoinedPlan => refusing(() => new Joining(kept, made).join())

/** The plan before, to go on with. */
export const samePlan = ({ before: { goal, judge, steps } }: KeptSteps): JoinedPlan => ({
  wire: toWire({ goal, judge, steps }),
  kept: steps.map(({ id }) => id),
})

class Joining {
  readonly #before: PlanBefore
  readonly #goal: string | undefined
  /** The planner's steps by id, in their order. */
  readonly #made: ReadonlyMap<string, PlanStep>
  /** The ids that the planner cannot give to other steps. */
  readonly #fixed: ReadonlySet<string>
  /** The planner's own steps, without those that it only repeats. */
  readonly #own: ReadonlySet<string>
  /** What stays of the plan before and is not done. */
  readonly #open: readonly ResolvedStep[]
  /** What is done, and others build on. */
  readonly #done: readonly ResolvedStep[]
  /** The ids of the new plan. */
  readonly #all: ReadonlySet<string>

  constructor({ before, staying, needed, broken }: KeptSteps, made: unknown) {
    this.#before = before
    const isBroken = (id: string) => broken.some((step) => step.id === id)
    const lasting = [...stepsThatStay(before), ...staying.map(({ id }) => id)]
    this.#fixed = new Set(lasting.filter((id) => !isBroken(id)))
    const { goal, steps } = readPlanShape(made)
    this.#goal = goal
    const others = new Set([...this.#fixed, ...this.#under([...staying, ...needed, ...broken])])
    this.#made = withApprovals(named(steps, others), broken)
    this.#own = new Set([...this.#made.keys()].filter((id) => !this.#fixed.has(id)))
    const isOpen = (step: ResolvedStep) =>
      staying.includes(step) || ([...needed, ...broken].includes(step) && !this.#own.has(step.id))
    this.#open = before.steps.filter(isOpen)
    this.#done = this.#findDone()
    this.#all = new Set([...this.#own, ...[...this.#done, ...this.#open].map(({ id }) => id)])
    this.#refuseOtherKinds()
  }

  join(): JoinedPlan {
    const { judge, steps, isClients, goal: before } = this.#before
    const goal = steps.some(({ id }) => isClients(id)) ? (before ?? this.#goal) : this.#goal
    return {
      wire: {
        version: 'v2',
        ...(goal !== undefined && { goal }),
        ...(judge !== undefined && { judge }),
        steps: this.#steps(),
      },
      kept: [...this.#done, ...this.#open].map(({ id }) => id),
    }
  }

  #steps(): PlanStep[] {
    const first = this.#firstSteps()
    const again = (step: ResolvedStep) => this.#again(step, first)
    const open = new Map(this.#open.map((step) => [step.id, step]))
    const listed = [...this.#made].flatMap(([id, step]) => {
      const stays = open.get(id)
      if (stays) return [again(stays)]
      return this.#own.has(id) ? [step] : []
    })
    return [...this.#done.map(again), ...listed, ...this.#open.filter(({ id }) => !this.#made.has(id)).map(again)]
  }

  /** A step that stays, with what it depends on in the new plan. */
  #again(step: ResolvedStep, first: readonly string[]): PlanStep {
    const { hasBegun } = this.#before
    const waits = this.#open.includes(step) && this.#fixed.has(step.id) && !hasBegun(step.id) ? first : []
    const wanted = new Set([...step.dependsOn, ...namedBy(step, this.#before), ...waits])
    return { ...step.wire, depends_on: [...wanted].filter((id) => this.#all.has(id)) }
  }

  /** The planner's steps that do not depend on a step that stays. */
  #firstSteps(): string[] {
    const dependencies = new Map([...this.#own].map((id) => [id, new Set(this.#made.get(id)?.depends_on)]))
    refuseCycles(dependencies)
    const ancestors = findAncestors(dependencies)
    const stays = this.#open.map(({ id }) => id).filter((id) => this.#fixed.has(id))
    return [...this.#own].filter((id) => !stays.some((other) => ancestors.get(id)?.has(other)))
  }

  #findDone(): ResolvedStep[] {
    const { steps, isDone } = this.#before
    const under = this.#under(this.#open)
    const isKept = (id: string) => (this.#fixed.has(id) || under.has(id)) && !this.#own.has(id)
    return steps.filter(({ id }) => isDone(id) && isKept(id))
  }

  /** These steps, and the finished ones that they depend on. */
  #under(steps: readonly ResolvedStep[]): ReadonlySet<string> {
    const ancestors = ancestorsIn(this.#before.steps)
    const before = steps.flatMap(({ id }) => [...(ancestors.get(id) ?? [])])
    return new Set([...steps.map(({ id }) => id), ...before.filter((id) => this.#before.isDone(id))])
  }

  /** A step that repeats one that stays is taken for it, even if it differs. One of another kind is a mistake. */
  #refuseOtherKinds(): void {
    const kinds = new Map(this.#before.steps.map(({ id, kind }) => [id, kind]))
    for (const [index, [id, step]] of [...this.#made].entries()) {
      if (!this.#fixed.has(id) || kindOf(step) === kinds.get(id)) continue
      refusePlan({ index, id }, 'has the id of a step that stays in the plan; choose another id')
    }
  }
}

/** The steps with ids and dependencies. They may depend on steps that are not theirs. */
function named(steps: readonly PlanStep[], others: ReadonlySet<string>): Map<string, PlanStep> {
  const ids = assignStepIds(steps, others)
  const dependencies = resolveDependencies(steps, ids, others)
  return new Map(
    steps.map((step, index) => {
      const id = ids[index] as string
      return [id, { ...step, id, depends_on: [...(dependencies.get(id) ?? [])] }]
    }),
  )
}

/** A step that asked a person before still does when it is planned again. */
function withApprovals(made: Map<string, PlanStep>, broken: readonly ResolvedStep[]): Map<string, PlanStep> {
  for (const { id, ...step } of broken) {
    const again = made.get(id)
    const asked = step.kind !== 'gate' && step.approvalRequired
    if (asked && again && !('await_input' in again)) made.set(id, { ...again, approval: 'required' })
  }
  return made
}

const kindOf = (step: PlanStep): ResolvedStep['kind'] =>
  'instruction' in step ? 'agent' : 'tool' in step ? 'tool' : 'gate'
