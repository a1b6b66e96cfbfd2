// The progress of a run, rebuilt from its journal and signals, and the next move. Pure: the engine acts on it.
import { type AnsweredCall, defaultMaxAttempts, type InputKind, type SignalAction } from '@runwright/contract'
import type { StepResult } from '../plan/fill-templates.ts'
import type { ResolvedAgentStep, ResolvedPlan, ResolvedToolStep } from '../plan/plan.ts'
import type { AskedCall } from './asked-call.ts'
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
import { TurnLog } from './turn-log.ts'
import { afterKey, approvalKey, gateKey, isOnlyAboutCall } from './wait-keys.ts'

export interface Answer {
  readonly action: SignalAction
  readonly payload: unknown
  readonly call?: AnsweredCall | null
  /** The wait that it answered. */
  readonly waitKey: string
}

export interface Wait {
  readonly key: string
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
  /** The call that the answer decides about. */
  readonly call?: AskedCall
  /** The step that starts after an approval. */
  readonly before?: Pick<Task, 'key' | 'step'>
}

/** A step that can be executed, with everything that its generation defines for it. */
export interface Task {
  readonly key: TaskKey
  readonly stepId: string
  readonly step: ResolvedAgentStep | ResolvedToolStep
  /** The index of the agent step within the run: 0, 1, 2 … For a tool step, the index of the next agent step. */
  readonly agentStep: number
  readonly planned: boolean
}

export type NextMove =
  | { readonly move: 'plan'; readonly generation: number; readonly key: TaskKey; readonly agentStep: number }
  /** Tasks to start now. If there are none, the wait to begin once nothing is executing. */
  | { readonly move: 'work'; readonly tasks: readonly Task[]; readonly wait: Wait | undefined }
  | { readonly move: 'finish' }

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
  readonly #answers = new Map<string, Answer>()
  readonly #resolved = new Set<string>()
  readonly #instructions = new Map<TaskKey, string>()
  readonly #replanReasons = new Map<number, string | undefined>()
  #lastAnswer: Answer | undefined
  #lastSignal: Answer | undefined
  /** Set after the judge decided to stop: the tasks that may still run to their end. */
  #lastTasks: ReadonlySet<TaskKey> | undefined
  #agents: AgentsEntry | undefined
  #generation = 0
  #plan: ResolvedPlan | undefined
  #plannerDue: boolean

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#plan = options.givenPlan
    this.#plannerDue = options.startsWithPlanner && options.givenPlan === undefined
    if (this.#plannerDue) this.#generation = 1
  }

  /** Reads the journal. Entries of one kind may come in any order; a replan comes before the plan of its generation. */
  restore(entries: readonly JournalEntry[], answers: readonly Answer[]): void {
    const isLate = ({ kind }: JournalEntry) => kind === 'plan' || kind === 'unplanned'
    const all = [...entries.flatMap(keptIn), ...entries]
    for (const entry of all) if (!isLate(entry)) this.add(entry)
    for (const entry of all) if (isLate(entry)) this.add(entry)
    for (const answer of answers) this.answer(answer)
  }

  add(entry: JournalEntry): void {
    const { kind, name, body } = entry
    if (kind === 'done') this.done.set(name, body)
    else if (kind === 'fail') this.#addFailure(name, body)
    else if (kind === 'plan') this.#adopt(Number(name), body)
    else if (kind === 'unplanned') this.#goUnplanned(Number(name))
    else if (kind === 'replan') this.#demandPlan(Number(name), body.reason)
    else if (kind === 'next') this.#instructions.set(name, body.instruction)
    else if (kind === 'await') this.#awaits.set(name, body)
    else if (kind === 'resolved') this.#resolved.add(name)
    else if (kind === 'kept') for (const answer of body.answers) this.answer(answer)
    else if (kind === 'file') this.files.set(Number(name), body)
    else if (kind === 'agents') this.#agents ??= body
    else if (kind === 'stop') this.#lastTasks ??= new Set(body.executing)
    else this.turns.add(entry)
  }

  answer(answer: Answer): void {
    this.#lastAnswer = answer
    if (!isOnlyAboutCall(answer.waitKey, answer.action)) this.#lastSignal = answer
    if (answer.action !== 'reject') this.#answers.set(answer.waitKey, answer)
  }

  /** The judge decided to stop, and the running tasks run to their end. */
  get isStopping(): boolean {
    return this.#lastTasks !== undefined
  }

  /** The agents that the run began with. Undefined: it has used none so far. */
  get agents(): AgentsEntry | undefined {
    return this.#agents
  }

  get generation(): number {
    return this.#generation
  }

  get plan(): ResolvedPlan | undefined {
    return this.#plan
  }

  /** The last signal, whichever wait it answered. */
  get lastAnswer(): Answer | undefined {
    return this.#lastAnswer
  }

  /**
   * The last signal that templates see. An approval of a call is none: it would change the arguments that were
   * approved, if they contain `{{signal.payload}}`.
   */
  get lastSignal(): Answer | undefined {
    return this.#lastSignal
  }

  answerTo(waitKey: string): Answer | undefined {
    return this.#answers.get(waitKey)
  }

  /** Failures of a step: in total, and in this attempt of the run. */
  failuresOf(key: TaskKey): { readonly total: number; readonly inAttempt: number } {
    const attempts = this.#failures.get(key) ?? []
    return { total: attempts.length, inAttempt: attempts.filter((attempt) => attempt === this.#options.attempt).length }
  }

  next(executing: ReadonlySet<TaskKey>): NextMove {
    const asked = this.#openAwait()
    if (asked) return { move: 'work', tasks: [], wait: asked }
    if (this.#plannerDue) return this.#planMove()
    return this.#plan ? this.#nextOfPlan(this.#plan, executing) : this.#nextUnplanned(executing)
  }

  /** Whether the step is the only one left. */
  isLast(key: TaskKey): boolean | undefined {
    if (!this.#plan) return undefined
    return this.#plan.steps.every((step) => this.#keyOf(step.id) === key || this.#isDone(step.id))
  }

  /** How many times the run was replanned. */
  get replans(): number {
    return this.#replanReasons.size
  }

  /** Why the planner of this generation must replan. Undefined for the first plan, or if no reason was given. */
  get replanReason(): string | undefined {
    return this.#replanReasons.get(this.#generation)
  }

  /** How many steps without a plan have ended in the current generation. */
  get unplannedSteps(): number {
    let count = 0
    while (this.done.has(this.#keyOf(unplannedStepId(count)))) count += 1
    return count
  }

  /** Whether the planner wrote the current plan. Braces in its texts may be literal. */
  get isPlannersPlan(): boolean {
    return this.#plan !== undefined && this.#generation > 0
  }

  /** Whether a step of the current plan has ended or its gate was answered. */
  isStepDone(stepId: string): boolean {
    return this.#isDone(stepId)
  }

  /** The question of a wait, if the plan or the judge worded one. */
  questionOf(waitKey: string): string | undefined {
    for (const [key, { prompt }] of this.#awaits) if (afterKey(key) === waitKey) return prompt ?? undefined
    for (const step of this.#plan?.steps ?? []) {
      const key = this.#keyOf(step.id)
      if (step.kind === 'gate' && gateKey(key) === waitKey) return step.prompt
      if (step.kind !== 'gate' && approvalKey(key) === waitKey) return approvalQuestion(step)
    }
    return undefined
  }

  /** How many other steps of the plan are left; undefined without a plan. */
  stepsLeft(key: TaskKey): number | undefined {
    return this.#plan?.steps.filter((step) => this.#keyOf(step.id) !== key && !this.#isDone(step.id)).length
  }

  /** Steps that succeeded, in the order in which they ended. */
  get finished(): DoneEntry[] {
    return [...this.done.values()].toSorted((a, b) => a.order - b.order)
  }

  /** Whether a step belongs to the current plan. A step of an earlier plan may still be executing. */
  isCurrent(key: TaskKey): boolean {
    return generationOf(key) === this.#generation
  }

  /** What finished steps and answered gates provide to templates, by step id. */
  results(): Map<string, StepResult> {
    const results = new Map<string, StepResult>()
    for (const { stepId, content, output } of this.finished) results.set(stepId, { content, output })
    for (const step of this.#plan?.steps ?? []) {
      const answer = step.kind === 'gate' ? this.#answers.get(gateKey(this.#keyOf(step.id))) : undefined
      if (answer) results.set(step.id, { content: undefined, output: answer.payload })
    }
    return results
  }

  #addFailure(name: string, { attempt, keptTurns }: Extract<JournalEntry, { kind: 'fail' }>['body']): void {
    const key = name.slice(0, name.lastIndexOf(':'))
    this.#failures.set(key, [...(this.#failures.get(key) ?? []), attempt])
    if (keptTurns !== undefined) this.turns.discardTurns(key, keptTurns)
  }

  #adopt(generation: number, plan: unknown): void {
    if (generation < this.#generation) return
    this.#generation = generation
    this.#plan = this.#options.readPlan(plan)
    this.#plannerDue = false
  }

  #goUnplanned(generation: number): void {
    if (generation < this.#generation) return
    this.#generation = generation
    this.#plan = undefined
    this.#plannerDue = false
  }

  #demandPlan(generation: number, reason: string | undefined): void {
    this.#replanReasons.set(generation, reason)
    if (generation <= this.#generation) return
    this.#generation = generation
    this.#plan = undefined
    this.#plannerDue = true
  }

  #planMove(): NextMove {
    const key = taskKey(this.#generation, plannerStepId)
    return { move: 'plan', generation: this.#generation, key, agentStep: this.#agentStepsBefore(this.#generation) }
  }

  /** Agent steps that finished under earlier plans. A replan continues counting after them. */
  #agentStepsBefore(generation: number): number {
    let count = 0
    for (const [key, { kind }] of this.done) if (kind === 'agent' && generationOf(key) < generation) count += 1
    return count
  }

  #openAwait(): Wait | undefined {
    for (const [key, entry] of this.#awaits) {
      const waitKey = afterKey(key)
      if (generationOf(key) < this.#generation || this.#answers.has(waitKey) || this.#resolved.has(waitKey)) continue
      return { key: waitKey, reasonCode: entry.reasonCode, inputKind: entry.inputKind, prompt: entry.prompt }
    }
    return undefined
  }

  #nextOfPlan(plan: ResolvedPlan, executing: ReadonlySet<TaskKey>): NextMove {
    const tasks: Task[] = []
    let wait: Wait | undefined
    let agentStep = this.#agentStepsBefore(this.#generation)
    let isAllDone = true
    for (const step of plan.steps) {
      const key = this.#keyOf(step.id)
      const isDone = this.#isDone(step.id)
      isAllDone &&= isDone
      if (!isDone && !executing.has(key) && step.dependsOn.every((id) => this.#isDone(id))) {
        const blocker = this.#waitBefore(step, key)
        if (blocker) wait ??= blocker
        else if (step.kind !== 'gate') tasks.push({ key, stepId: step.id, step, agentStep, planned: true })
      }
      if (step.kind === 'agent') agentStep += 1
    }
    if (this.#lastTasks) return this.#nextOfLast(this.#lastTasks, tasks)
    return isAllDone ? { move: 'finish' } : { move: 'work', tasks, wait }
  }

  #nextOfLast(lastTasks: ReadonlySet<TaskKey>, tasks: readonly Task[]): NextMove {
    const isOver = [...lastTasks].every((key) => this.done.has(key))
    return isOver
      ? { move: 'finish' }
      : { move: 'work', tasks: tasks.filter(({ key }) => lastTasks.has(key)), wait: undefined }
  }

  #waitBefore(step: ResolvedPlan['steps'][number], key: TaskKey): Wait | undefined {
    if (step.kind === 'gate') {
      const { reasonCode, inputKind = null, prompt = null } = step
      return { key: gateKey(key), reasonCode, inputKind, prompt }
    }
    if (!step.approvalRequired || this.#answers.has(approvalKey(key))) return undefined
    const prompt = approvalQuestion(step)
    return {
      key: approvalKey(key),
      reasonCode: 'approval_required',
      inputKind: 'approval',
      prompt,
      before: { key, step },
    }
  }

  #nextUnplanned(executing: ReadonlySet<TaskKey>): NextMove {
    let index = 0
    while (this.done.has(this.#keyOf(unplannedStepId(index)))) index += 1
    if (index > 0 && this.#awaits.get(this.#keyOf(unplannedStepId(index - 1)))?.isLast) return { move: 'finish' }
    const stepId = unplannedStepId(index)
    const key = this.#keyOf(stepId)
    if (executing.has(key)) return { move: 'work', tasks: [], wait: undefined }
    const instruction = (index > 0 && this.#instructions.get(this.#keyOf(unplannedStepId(index - 1)))) || ''
    const agentStep = this.#agentStepsBefore(this.#generation) + index
    const task = { key, stepId, step: unplannedStep(stepId, instruction), agentStep, planned: false }
    return { move: 'work', tasks: [task], wait: undefined }
  }

  #keyOf(stepId: string): TaskKey {
    return taskKey(this.#generation, stepId)
  }

  #isDone(stepId: string): boolean {
    const key = this.#keyOf(stepId)
    return this.done.has(key) || this.#answers.has(gateKey(key))
  }
}

const keptIn = (entry: JournalEntry): JournalEntry[] =>
  entry.kind === 'kept' ? entry.body.entries.map(({ key, body }) => readJournalEntry(key, body)) : []

const approvalQuestion = (step: ResolvedAgentStep | ResolvedToolStep): string =>
  step.kind === 'agent' ? `May this step start: ${step.instruction}` : `May the tool ${step.tool} be called?`

const unplannedStep = (id: string, instruction: string): ResolvedAgentStep => ({
  kind: 'agent',
  id,
  dependsOn: [],
  wire: { id, instruction },
  instruction,
  tools: undefined,
  outputSchema: undefined,
  maxAttempts: defaultMaxAttempts,
  timeoutSeconds: undefined,
  approvalRequired: false,
})
