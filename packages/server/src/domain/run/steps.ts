// The steps of a run as its client sees them: those of its plans, those that plan, and those of a
// run without a plan. Pure: what has happened is read elsewhere.
import type { StepOutcome, StepState, stepKinds } from '@runwright/contract'
import { generationOf, plannerStepId, type TaskKey, taskKey, unplannedStepId } from './journal.ts'
import type { PlacedPlan } from './placed-plan.ts'
import type { RunProgress } from './progress.ts'
import { type RunState, terminalStates } from './states.ts'
import { gateKey } from './wait-keys.ts'

export type StepKind = (typeof stepKinds)[number]

export interface StepError {
  readonly reasonCode: string
  readonly message: string | null
}

export interface StepRecord {
  readonly key: TaskKey
  readonly id: string
  readonly kind: StepKind
  readonly state: StepState
  readonly attempts: number
  readonly startedAt: Date | undefined
  readonly endedAt: Date | undefined
  readonly content: string | null
  readonly output: unknown
  readonly error: StepError | undefined
}

/** The end of an attempt of a step, from its event. */
export interface StepEnd {
  readonly at: Date
  readonly outcome: StepOutcome
  readonly content: string
  readonly error: StepError | undefined
}

/** What the log has of a step. */
export interface StepTrace {
  readonly begunAt: Date | undefined
  readonly ends: readonly StepEnd[]
}

/** The answer to a gate. */
export interface GateAnswer {
  readonly isRejected: boolean
  readonly askedAt: Date | undefined
  /** Undefined: in the run that this one was forked from. */
  readonly at: Date | undefined
  readonly payload: unknown
}

export interface StepSources {
  readonly state: RunState
  readonly progress: RunProgress
  /** By generation. Generation 0 is the plan that came with the run. */
  readonly plans: ReadonlyMap<number, PlacedPlan>
  readonly traceOf: (key: TaskKey) => StepTrace
  readonly answerTo: (waitKey: string) => GateAnswer | undefined
  /** Since when the run waits, or when it last began to wait if it has ended without the answer. */
  readonly waitsSince: Date | undefined
  /** Since when the run goes on without a pause: the last start, answer or resume. */
  readonly goesOnSince: Date | undefined
  /** Why a step that had begun has no end, although the run has ended. */
  readonly endReason: string
}

type Found = Pick<StepRecord, 'key' | 'id' | 'kind'>

export function describeSteps(sources: StepSources): StepRecord[] {
  const now = whatIsNext(sources)
  return listSteps(sources, now.keys).map((found) =>
    found.kind === 'gate' ? describeGate(found, sources, now) : describeTask(found, sources, now),
  )
}

interface Now {
  /** The steps that are executed now, or will be when the run goes on. */
  readonly keys: ReadonlySet<TaskKey>
  /** While a planner works on another plan: the steps of the one before. What becomes of them is open. */
  readonly open: ReadonlyMap<TaskKey, { readonly hasBegun: boolean }>
  /** The wait that is open, or comes next. */
  readonly waitKey: string | undefined
  readonly waitsBefore: TaskKey | undefined
}

function whatIsNext({ state, progress }: StepSources): Now {
  const nothing = { keys: new Set<TaskKey>(), open: new Map(), waitKey: undefined, waitsBefore: undefined }
  const next = progress.next(new Set())
  if (terminalStates.includes(state)) return { ...nothing, waitKey: 'wait' in next ? next.wait?.key : undefined }
  if (next.kind === 'plan') return { ...nothing, keys: new Set([next.key]), open: stepsToPlanAgain(progress) }
  if (next.kind === 'finish') return nothing
  const { tasks, wait } = next
  const keys = new Set(tasks.map(({ key }) => key))
  return { ...nothing, keys, waitKey: wait?.key, waitsBefore: wait?.before?.key }
}

function stepsToPlanAgain(progress: RunProgress): Now['open'] {
  const before = progress.planBefore()
  const steps = before?.steps ?? []
  return new Map(
    steps.map(({ id }) => [taskKey(before?.generationOf(id) ?? 0, id), { hasBegun: before?.hasBegun(id) === true }]),
  )
}

/** In the order of their plans. A step that a later plan has again is listed there. */
function listSteps(sources: StepSources, next: ReadonlySet<TaskKey>): Found[] {
  const { plans } = sources
  const hasTrace = (key: TaskKey) => hasBegun(key, sources) || next.has(key)
  const last = lastGeneration(sources)
  const later = (id: string, generation: number) =>
    [...plans].some(([other, { plan }]) => other > generation && plan.steps.some((step) => step.id === id))
  // A plan may take over steps of the one before, with their keys.
  const isTakenOver = (key: TaskKey, generation: number) =>
    [...plans].some(([other, plan]) => other > generation && plan.has(key))
  const found: Found[] = []
  for (let generation = 0; generation <= last; generation += 1) {
    const keyOf = (id: string) => taskKey(generation, id)
    const planner = keyOf(plannerStepId)
    if (hasTrace(planner)) found.push({ key: planner, id: plannerStepId, kind: 'planner' })
    const plan = plans.get(generation)
    for (const { id, kind } of plan?.plan.steps ?? []) {
      const key = plan?.keyOf(id) ?? keyOf(id)
      if (isTakenOver(key, generation)) continue
      if (hasTrace(key) || !later(id, generation)) found.push({ key, id, kind })
    }
    if (plan) continue
    for (let index = 0; hasTrace(keyOf(unplannedStepId(index))); index += 1) {
      const id = unplannedStepId(index)
      found.push({ key: keyOf(id), id, kind: 'agent' })
    }
  }
  return found
}

const hasBegun = (key: TaskKey, { progress, traceOf }: StepSources): boolean => {
  const { begunAt, ends } = traceOf(key)
  return progress.done.has(key) || begunAt !== undefined || ends.length > 0
}

/** Of a run that ended long ago, the journal does not say that it was planned once more. */
function lastGeneration(sources: StepSources): number {
  let last = Math.max(
    sources.progress.generation,
    ...sources.plans.keys(),
    ...[...sources.progress.done.keys()].map(generationOf),
  )
  while (hasBegun(taskKey(last + 1, plannerStepId), sources)) last += 1
  return last
}

function describeTask(found: Found, sources: StepSources, now: Now): StepRecord {
  const { progress, traceOf } = sources
  const { begunAt, ends } = traceOf(found.key)
  const done = progress.done.get(found.key)
  const success = ends.findLast(({ outcome }) => outcome === 'succeeded')
  const state = taskState(found, sources, now)
  const isActive = state === 'running' || (state === 'waiting' && now.waitsBefore !== found.key)
  return {
    ...found,
    state,
    attempts: Math.max(ends.length, done ? 1 : 0) + (isActive ? 1 : 0),
    startedAt: begunAt ?? (state === 'running' ? readyAt(found, sources) : undefined),
    endedAt: state === 'succeeded' || state === 'failed' ? ends.at(-1)?.at : undefined,
    content: state === 'succeeded' ? (success?.content ?? done?.content ?? null) : null,
    output: state === 'succeeded' ? (done?.output ?? null) : null,
    error: state === 'failed' ? errorOf(ends.at(-1), sources.endReason) : undefined,
  }
}

/** A step that has not been heard of has begun when it could: when the run went on, and what it needs had ended. */
function readyAt({ key, id }: Found, sources: StepSources): Date | undefined {
  const ends = needsOf(key, id, sources).map((needed) => sources.traceOf(needed).ends.at(-1)?.at)
  const times = [sources.goesOnSince, ...ends].flatMap((at) => (at ? [at.getTime()] : []))
  return times.length > 0 ? new Date(Math.max(...times)) : undefined
}

/** The answer to a gate is a moment at which the run went on. A planner, and a step without a plan, need all before. */
function needsOf(key: TaskKey, id: string, { plans, progress }: StepSources): TaskKey[] {
  const plan = [...plans.values()].findLast((placed) => placed.has(key))
  const step = plan?.plan.steps.find((one) => one.id === id)
  if (!plan || !step) return [...progress.done.keys()]
  const planner = taskKey(progress.generation, plannerStepId)
  return [planner, ...step.dependsOn.map((needed) => plan.keyOf(needed))]
}

/** A step that had begun when the run ended has no end of its own. */
const errorOf = (end: StepEnd | undefined, endReason: string): StepError =>
  end?.error ?? { reasonCode: endReason, message: null }

function taskState({ key, id }: Found, sources: StepSources, now: Now): StepState {
  const { state, progress, traceOf } = sources
  const { ends } = traceOf(key)
  if (progress.done.has(key) || ends.some(({ outcome }) => outcome === 'succeeded')) return 'succeeded'
  if (terminalStates.includes(state)) return hasBegun(key, sources) ? 'failed' : 'skipped'
  if (now.waitsBefore === key) return state === 'awaiting_input' ? 'waiting' : 'pending'
  if (now.keys.has(key)) return stateNow(state)
  const open = now.open.get(key)
  if (open) return open.hasBegun || hasBegun(key, sources) ? stateNow(state) : 'pending'
  // A step of an earlier plan may still be executing; one that never began is not needed any more.
  if (progress.isCurrent(key)) return progress.isSkipped(id) ? 'skipped' : 'pending'
  return hasBegun(key, sources) && ends.length === 0 && state === 'running' ? 'running' : 'skipped'
}

/** While a run waits, nothing is executed: what has not ended waits for the same answer. */
const stateNow = (state: RunState): StepState =>
  state === 'running' ? 'running' : state === 'awaiting_input' ? 'waiting' : 'pending'

function describeGate(found: Found, sources: StepSources, now: Now): StepRecord {
  const waitKey = gateKey(found.key)
  const answer = sources.answerTo(waitKey)
  const { state, progress, waitsSince } = sources
  const hasEnded = terminalStates.includes(state)
  const isOpen = now.waitKey === waitKey && (hasEnded ? waitsSince !== undefined : state === 'awaiting_input')
  const isLeft = now.open.has(found.key) || (progress.isCurrent(found.key) && !progress.isSkipped(found.id))
  const unanswered = isOpen ? (hasEnded ? 'failed' : 'waiting') : hasEnded || !isLeft ? 'skipped' : 'pending'
  return {
    ...found,
    state: answer ? (answer.isRejected ? 'failed' : 'succeeded') : unanswered,
    attempts: answer || isOpen ? 1 : 0,
    startedAt: answer ? answer.askedAt : isOpen ? waitsSince : undefined,
    endedAt: answer?.at,
    content: null,
    output: answer?.payload ?? null,
    error: gateError(answer, isOpen && hasEnded ? sources.endReason : undefined),
  }
}

/** A gate fails if its answer is to reject, or if the run has ended before the answer. */
function gateError(answer: GateAnswer | undefined, endReason: string | undefined): StepError | undefined {
  if (answer?.isRejected) return { reasonCode: 'signal_rejected', message: null }
  return endReason !== undefined && !answer ? { reasonCode: endReason, message: null } : undefined
}
