// The progress of a run, rebuilt from its journal and signals, and the next move. Pure: the engine acts on it.
import type { StepResult } from '../plan/fill-templates.ts'
import { stepsAfterStop } from '../plan/lasting-steps.ts'
import type { ResolvedPlan } from '../plan/plan.ts'
import type { PlanBefore } from '../plan/plan-again.ts'
import { type Answer, AnswerLog } from './answer-log.ts'
import {
  type AgentsEntry,
  type AwaitEntry,
  type DoneEntry,
  type FileEntry,
  generationOf,
  type JournalEntry,
  plannerStepId,
  readJournalEntry,
  type TaskKey,
  taskKey,
  unplannedStepId,
} from './journal.ts'
import type { NextMove, Task, Wait } from './next-move.ts'
import { type PastPlan, PlacedPlan } from './placed-plan.ts'
import { questionBefore, waitBefore } from './step-waits.ts'
import { TurnLog } from './turn-log.ts'
import { unplannedStep } from './unplanned-step.ts'
import { afterKey, gateKey } from './wait-keys.ts'

interface ProgressOptions {
  readonly givenPlan: ResolvedPlan | undefined
  readonly startsWithPlanner: boolean
  readonly attempt: number
  /** Parses a journaled plan. */
  readonly readPlan: (plan: unknown) => ResolvedPlan
}

export class RunProgress {
  readonly #options: ProgressOptions
  readonly done = new Map<TaskKey, DoneEntry>()
  readonly turns = new TurnLog()
  /** The fetched attachments by index. */
  readonly files = new Map<number, FileEntry>()
  readonly #failures = new Map<TaskKey, number[]>()
  readonly #awaits = new Map<TaskKey, AwaitEntry>()
  readonly answers = new AnswerLog()
  readonly #resolved = new Set<string>()
  readonly #instructions = new Map<TaskKey, string>()
  readonly #replans = new Map<number, ReplanBody>()
  /** The planners' plans by generation, as journaled; undefined: the run went on without one. */
  readonly #plans = new Map<number, unknown>()
  /** Why steps could not be executed as they were planned. */
  readonly #broken = new Map<TaskKey, string>()
  readonly #carried = new Map<number, ReadonlyMap<string, number>>()
  /** The tasks that may still run after the judge has decided to stop, by the generation of the plan. */
  readonly #stops = new Map<number, ReadonlySet<TaskKey>>()
  #agents: AgentsEntry | undefined
  #generation = 0
  #placed: PlacedPlan | undefined
  #plannerDue: boolean

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#placed = options.givenPlan && new PlacedPlan(options.givenPlan, { generation: 0 })
    this.#plannerDue = options.startsWithPlanner && options.givenPlan === undefined
    if (this.#plannerDue) this.#generation = 1
  }

  /** Reads the journal. Entries of one kind may come in any order; a replan comes before the plan of its generation. */
  restore(entries: readonly JournalEntry[], answers: readonly Answer[]): void {
    const isLate = ({ kind }: JournalEntry) => kind === 'plan' || kind === 'unplanned'
    const all = [...entries.flatMap(keptIn), ...entries]
    for (const entry of all) if (!isLate(entry)) this.add(entry)
    for (const entry of all) if (isLate(entry)) this.add(entry)
    for (const answer of answers) this.answers.add(answer)
  }

  add(entry: JournalEntry): void {
    const { kind, name, body } = entry
    if (kind === 'done') this.done.set(name, body)
    else if (kind === 'fail') this.#addFailure(name, body)
    else if (kind === 'plan') this.#adopt(Number(name), body)
    else if (kind === 'carried') this.#carried.set(Number(name), new Map(body.steps))
    else if (kind === 'unplanned') this.#goUnplanned(Number(name))
    else if (kind === 'replan') this.#demandPlan(Number(name), body)
    else if (kind === 'broken') this.#broken.set(name, body.reason)
    else if (kind === 'next') this.#instructions.set(name, body.instruction)
    else if (kind === 'await') this.#awaits.set(name, body)
    else if (kind === 'resolved') this.#resolved.add(name)
    else if (kind === 'kept') for (const answer of body.answers) this.answers.add(answer)
    else if (kind === 'file') this.files.set(Number(name), body)
    else if (kind === 'agents') this.#agents ??= body
    else if (kind === 'stop') this.#addStop(body.generation ?? generationOf(name), body)
    else this.turns.add(entry)
  }

  /** The judge decided to stop. What is running, and what the plan does not do without, comes to its end. */
  get isStopping(): boolean {
    return this.#stops.has(this.#generation)
  }

  /** The agents that the run began with. Undefined: it has used none so far. */
  get agents(): AgentsEntry | undefined {
    return this.#agents
  }

  get generation(): number {
    return this.#generation
  }

  get plan(): ResolvedPlan | undefined {
    return this.#placed?.plan
  }

  /** The plan that a planner is to replace. Undefined if there is none, or the run has gone on without one. */
  planBefore(): PlanBefore | undefined {
    const placed = this.#placedBefore()
    if (!placed) return undefined
    const { goal, judge, steps } = placed.plan
    const begun = this.#replans.get(this.#generation)?.begun ?? []
    return {
      ...{ goal, judge, steps },
      isClients: (id) => this.isClients(placed.keyOf(id)),
      isDone: (id) => this.#isDoneKey(placed.keyOf(id)),
      hasBegun: (id) => begun.includes(placed.keyOf(id)) || this.#hasTraces(placed.keyOf(id)),
      generationOf: (id) => placed.generationOf(id),
      isBroken: (id) => this.#broken.has(placed.keyOf(id)),
    }
  }

  /**
   * What a decision of the judge to stop after this step means for the steps that are left: which ones the plan does
   * not do without, and whether there are others, which are skipped.
   */
  afterStop(key: TaskKey, executing: readonly TaskKey[]): { required: readonly TaskKey[]; skips: boolean } {
    const steps = this.plan?.steps ?? []
    const isDone = (id: string) => this.keyOf(id) === key || this.isStepDone(id)
    const isClients = (id: string) => this.isClients(this.keyOf(id))
    const required = new Set([...stepsAfterStop({ steps, isClients, isDone })].map((id) => this.keyOf(id)))
    const isLeft = ({ id }: { readonly id: string }) => !isDone(id) && !executing.includes(this.keyOf(id))
    return { required: [...required], skips: steps.some((step) => isLeft(step) && !required.has(this.keyOf(step.id))) }
  }

  /** Whether steps of the plan are left out because the judge has said stop. */
  get hasSkipped(): boolean {
    return this.plan?.steps.some(({ id }) => this.isSkipped(id)) === true
  }

  /** Failures of a step: in total, and in this attempt of the run. */
  failuresOf(key: TaskKey): { readonly total: number; readonly inAttempt: number } {
    const attempts = this.#failures.get(key) ?? []
    return { total: attempts.length, inAttempt: attempts.filter((attempt) => attempt === this.#options.attempt).length }
  }

  next(executing: ReadonlySet<TaskKey>): NextMove {
    const asked = this.#openAwait()
    if (asked) return { kind: 'work', tasks: [], wait: asked }
    if (this.#plannerDue) return this.#planMove()
    return this.#placed ? this.#nextOfPlan(this.#placed.plan, executing) : this.#nextUnplanned(executing)
  }

  /** Whether the step is the only one left. */
  isLast(key: TaskKey): boolean | undefined {
    const left = this.stepsLeft(key)
    return left === undefined ? undefined : left === 0
  }

  /** Whether the result of the run is that of the step: no other step with a result is left. */
  givesResult(key: TaskKey): boolean {
    const isLeft = ({ id, kind }: { readonly id: string; readonly kind: string }) =>
      kind !== 'gate' && this.keyOf(id) !== key && !this.isStepDone(id) && !this.isSkipped(id)
    return this.plan?.steps.some(isLeft) !== true
  }

  /** How many times the run was replanned. */
  get replans(): number {
    return this.#replans.size
  }

  /** Why the planner of this generation must replan. Empty for the first plan, or if no reason was given. */
  get replanReasons(): readonly string[] {
    const reason = this.#replans.get(this.#generation)?.reason
    const before = this.#placedBefore()
    const broken = [...this.#broken].flatMap(([key, why]) => (before?.has(key) ? [why] : []))
    return [...new Set([...(reason === undefined ? [] : [reason]), ...broken])]
  }

  /** How many steps without a plan have ended in the current generation. */
  get unplannedSteps(): number {
    let count = 0
    while (this.done.has(this.keyOf(unplannedStepId(count)))) count += 1
    return count
  }

  /** Whether the planner wrote the current plan. Braces in its texts may be literal. */
  get isPlannersPlan(): boolean {
    return this.#placed !== undefined && this.#generation > 0
  }

  /** Whether the step came with the run. */
  isClients(key: TaskKey): boolean {
    return this.#options.givenPlan !== undefined && generationOf(key) === 0
  }

  /** Whether a step of the current plan has ended or its gate was answered. */
  isStepDone(stepId: string): boolean {
    return this.#isDoneKey(this.keyOf(stepId))
  }

  /** The question of a wait, if the plan or the judge worded one. */
  questionOf(waitKey: string): string | undefined {
    for (const [key, { prompt }] of this.#awaits) if (afterKey(key) === waitKey) return prompt ?? undefined
    for (const step of this.plan?.steps ?? []) {
      const question = questionBefore(step, this.keyOf(step.id), waitKey)
      if (question !== undefined) return question
    }
    return undefined
  }

  /** How many other steps of the plan are left; undefined without a plan. */
  stepsLeft(key: TaskKey): number | undefined {
    const isLeft = ({ id }: { readonly id: string }) =>
      this.keyOf(id) !== key && !this.isStepDone(id) && !this.isSkipped(id)
    return this.plan?.steps.filter(isLeft).length
  }

  /** Steps that succeeded, in the order in which they ended. */
  get finished(): DoneEntry[] {
    return [...this.done.values()].toSorted((a, b) => a.order - b.order)
  }

  /** Whether a step belongs to the current plan. A step of an earlier plan may still be executing. */
  isCurrent(key: TaskKey): boolean {
    return this.#placed ? this.#placed.has(key) : generationOf(key) === this.#generation
  }

  /** The key of a step of the current plan. */
  keyOf(stepId: string): TaskKey {
    return this.#placed?.keyOf(stepId) ?? taskKey(this.#generation, stepId)
  }

  /** What finished steps and answered gates provide to templates, by step id. */
  results(): Map<string, StepResult> {
    const results = new Map<string, StepResult>()
    for (const { stepId, content, output } of this.finished) results.set(stepId, { content, output })
    for (const step of this.plan?.steps ?? []) {
      const answer = step.kind === 'gate' ? this.answers.to(gateKey(this.keyOf(step.id))) : undefined
      if (answer) results.set(step.id, { content: undefined, output: answer.payload })
    }
    return results
  }

  #addFailure(name: string, { attempt, keptTurns, refusedCall }: FailBody): void {
    const key = name.slice(0, name.lastIndexOf(':'))
    this.#failures.set(key, [...(this.#failures.get(key) ?? []), attempt])
    if (refusedCall !== undefined) this.answers.endStepOf(refusedCall)
    if (keptTurns !== undefined) this.turns.discardTurns(key, keptTurns)
  }

  #addStop(generation: number, { executing, required = [] }: Extract<JournalEntry, { kind: 'stop' }>['body']): void {
    if (!this.#stops.has(generation)) this.#stops.set(generation, new Set([...executing, ...required]))
  }

  #adopt(generation: number, plan: unknown): void {
    this.#plans.set(generation, plan)
    if (generation < this.#generation) return
    this.#generation = generation
    this.#placed = this.#place(generation, plan)
    this.#plannerDue = false
  }

  #place(generation: number, plan: unknown): PlacedPlan {
    return new PlacedPlan(this.#options.readPlan(plan), { generation, carried: this.#carried.get(generation) })
  }

  #goUnplanned(generation: number): void {
    this.#plans.set(generation, undefined)
    if (generation < this.#generation) return
    this.#generation = generation
    this.#placed = undefined
    this.#plannerDue = false
  }

  #demandPlan(generation: number, body: ReplanBody): void {
    this.#replans.set(generation, body)
    if (generation <= this.#generation) return
    this.#generation = generation
    this.#placed = undefined
    this.#plannerDue = true
  }

  /** The plans before this generation, oldest first, and why each was replaced. */
  pastPlans(): PastPlan[] {
    const past: PastPlan[] = []
    for (let generation = 0; generation < this.#generation; generation += 1) {
      const placed = this.#planOf(generation)
      if (!placed) continue
      const steps = placed.plan.steps.map((step) => ({ step, isDone: this.#isDoneKey(placed.keyOf(step.id)) }))
      past.push({ steps, reason: this.#replans.get(generation + 1)?.reason })
    }
    return past
  }

  #planOf(generation: number): PlacedPlan | undefined {
    const { givenPlan } = this.#options
    if (generation === 0) return givenPlan && new PlacedPlan(givenPlan, { generation })
    const plan = this.#plans.get(generation)
    return plan === undefined ? undefined : this.#place(generation, plan)
  }

  /** The plan of the last generation before this one. */
  #placedBefore(): PlacedPlan | undefined {
    for (let generation = this.#generation - 1; generation > 0; generation -= 1) {
      if (!this.#plans.has(generation)) continue
      return this.#planOf(generation)
    }
    return this.#planOf(0)
  }

  #hasTraces(key: TaskKey): boolean {
    return this.turns.repliesOf(key).length > 0 || this.failuresOf(key).total > 0
  }

  #planMove(): NextMove {
    const key = taskKey(this.#generation, plannerStepId)
    return { kind: 'plan', generation: this.#generation, key, agentStep: this.#agentStepsBefore() }
  }

  /** Agent steps that finished under earlier plans and are not in the current one. A replan continues counting. */
  #agentStepsBefore(): number {
    let count = 0
    for (const [key, { kind }] of this.done) if (kind === 'agent' && !this.isCurrent(key)) count += 1
    return count
  }

  #openAwait(): Wait | undefined {
    for (const [key, entry] of this.#awaits) {
      const waitKey = afterKey(key)
      if (!this.isCurrent(key) || this.answers.to(waitKey) !== undefined || this.#resolved.has(waitKey)) continue
      const { reasonCode, inputKind, prompt, rules } = entry
      return { key: waitKey, reasonCode, inputKind, prompt, rules }
    }
    return undefined
  }

  #nextOfPlan(plan: ResolvedPlan, executing: ReadonlySet<TaskKey>): NextMove {
    const tasks: Task[] = []
    let wait: Wait | undefined
    let agentStep = this.#agentStepsBefore()
    let isAllDone = true
    for (const step of plan.steps) {
      const key = this.keyOf(step.id)
      const isOver = this.isStepDone(step.id) || this.isSkipped(step.id)
      isAllDone &&= isOver
      if (!isOver && !executing.has(key) && step.dependsOn.every((id) => this.isStepDone(id))) {
        const task = { key, stepId: step.id, agentStep, planned: true } as const
        const blocker = waitBefore(step, task)
        if (blocker && !this.answers.to(blocker.key)) wait ??= blocker
        else if (step.kind !== 'gate') tasks.push({ ...task, step })
      }
      if (step.kind === 'agent') agentStep += 1
    }
    return isAllDone ? { kind: 'finish' } : { kind: 'work', tasks, wait }
  }

  #nextUnplanned(executing: ReadonlySet<TaskKey>): NextMove {
    const index = this.unplannedSteps
    const before = this.keyOf(unplannedStepId(index - 1))
    if (this.#awaits.get(before)?.isLast) return { kind: 'finish' }
    const stepId = unplannedStepId(index)
    const key = this.keyOf(stepId)
    if (executing.has(key)) return { kind: 'work', tasks: [], wait: undefined }
    const instruction = this.#instructions.get(before) ?? ''
    const agentStep = this.#agentStepsBefore() + index
    const task = { key, stepId, step: unplannedStep(stepId, instruction), agentStep, planned: false }
    return { kind: 'work', tasks: [task], wait: undefined }
  }

  #isDoneKey(key: TaskKey): boolean {
    return this.done.has(key) || this.answers.to(gateKey(key)) !== undefined
  }

  /** Whether the judge has said stop, and the step of the current plan is none of those that still run. */
  isSkipped(stepId: string): boolean {
    return this.#stops.get(this.#generation)?.has(this.keyOf(stepId)) === false && !this.isStepDone(stepId)
  }
}

type FailBody = Extract<JournalEntry, { kind: 'fail' }>['body']
type ReplanBody = Extract<JournalEntry, { kind: 'replan' }>['body']

const keptIn = (entry: JournalEntry): JournalEntry[] =>
  entry.kind === 'kept' ? entry.body.entries.map(({ key, body }) => readJournalEntry(key, body)) : []
