// How far a run has come, rebuilt from its journal and its signals, and what comes next. Pure: the engine acts on it.
import { defaultMaxAttempts, type InputKind, type SignalAction } from '@runwright/contract'
import type { StepResult } from '../plan/fill-templates.ts'
import type { ResolvedAgentStep, ResolvedPlan, ResolvedToolStep } from '../plan/plan.ts'
import {
  type AwaitEntry,
  type CallResultEntry,
  type DoneEntry,
  type JournalEntry,
  plannerStepId,
  type ReplyEntry,
  type TaskKey,
  type Touch,
  taskKey,
  unplannedStepId,
} from './journal.ts'

export interface Answer {
  readonly action: SignalAction
  readonly payload: unknown
  /** Which wait it answered. */
  readonly waitKey: string
}

export interface Wait {
  readonly key: string
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
}

/** A step that can be executed, with all that its generation says of it. */
export interface Task {
  readonly key: TaskKey
  readonly stepId: string
  readonly step: ResolvedAgentStep | ResolvedToolStep
  /** Which agent step of the run it is: 0, 1, 2 … (a tool step: the one that comes next). */
  readonly agentStep: number
  readonly planned: boolean
}

export type NextMove =
  | { readonly move: 'plan'; readonly generation: number; readonly key: TaskKey; readonly agentStep: number }
  /** Tasks to start now; the wait to begin once none is executing, if there are no tasks. */
  | { readonly move: 'work'; readonly tasks: readonly Task[]; readonly wait: Wait | undefined }
  | { readonly move: 'finish' }

interface ProgressOptions {
  readonly givenPlan: ResolvedPlan | undefined
  readonly startsWithPlanner: boolean
  readonly attempt: number
  /** Reads a plan that was journaled. */
  readonly readPlan: (plan: unknown) => ResolvedPlan
}

export class RunProgress {
  readonly #options: ProgressOptions
  readonly done = new Map<TaskKey, DoneEntry>()
  readonly replies = new Map<string, ReplyEntry>()
  /** Tool calls that have begun, how often, and what each does to the world. */
  readonly startedCalls = new Map<string, { readonly effect: 'read' | 'idempotent' | 'once'; readonly times: number }>()
  readonly callResults = new Map<string, CallResultEntry>()
  /** What the calls that have begun brought into the run. */
  readonly touched = new Set<Touch>()
  readonly #failures = new Map<TaskKey, number[]>()
  readonly #awaits = new Map<TaskKey, AwaitEntry>()
  readonly #answers = new Map<string, Answer>()
  readonly #resolved = new Set<string>()
  #lastAnswer: Answer | undefined
  /** Once the judge has said stop: the tasks that may still come to their end. */
  #lastTasks: ReadonlySet<TaskKey> | undefined
  #generation = 0
  #plan: ResolvedPlan | undefined
  #plannerDue: boolean

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#plan = options.givenPlan
    this.#plannerDue = options.startsWithPlanner && options.givenPlan === undefined
    if (this.#plannerDue) this.#generation = 1
  }

  /** Takes in what was journaled, in any order within a kind; replans before plans of the same generation. */
  restore(entries: readonly JournalEntry[], answers: readonly Answer[]): void {
    for (const entry of entries) if (entry.kind !== 'plan') this.add(entry)
    for (const entry of entries) if (entry.kind === 'plan') this.add(entry)
    for (const answer of answers) this.answer(answer)
  }

  add(entry: JournalEntry): void {
    const { kind, name, body } = entry
    if (kind === 'done') this.done.set(name, body)
    else if (kind === 'fail') this.#addFailure(name, body.attempt)
    else if (kind === 'plan') this.#adopt(Number(name), body)
    else if (kind === 'replan') this.#demandPlan(Number(name))
    else if (kind === 'await') this.#awaits.set(name, body)
    else if (kind === 'resolved') this.#resolved.add(name)
    else if (kind === 'reply') this.replies.set(name, body)
    else if (kind === 'call') this.#addCall(name, body)
    else if (kind === 'stop') this.#lastTasks ??= new Set(body.executing)
    else this.callResults.set(name, body)
  }

  answer(answer: Answer): void {
    this.#lastAnswer = answer
    if (answer.action !== 'reject') this.#answers.set(answer.waitKey, answer)
  }

  /** The judge has said stop, and what was executing comes to its end. */
  get isStopping(): boolean {
    return this.#lastTasks !== undefined
  }

  get generation(): number {
    return this.#generation
  }

  get plan(): ResolvedPlan | undefined {
    return this.#plan
  }

  /** The last signal, whatever it answered. */
  get lastAnswer(): Answer | undefined {
    return this.#lastAnswer
  }

  answerTo(waitKey: string): Answer | undefined {
    return this.#answers.get(waitKey)
  }

  /** Failures of a step: in all, and in this attempt of the run. */
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

  /** Whether a step is the only thing that was left to do. */
  isLast(key: TaskKey): boolean | undefined {
    if (!this.#plan) return undefined
    return this.#plan.steps.every((step) => this.#keyOf(step.id) === key || this.#isDone(step.id))
  }

  /** Steps that ended well, in the order they did. */
  get finished(): DoneEntry[] {
    return [...this.done.values()].toSorted((a, b) => a.order - b.order)
  }

  /** Whether a step belongs to the plan in force; one of an earlier plan may still be executing. */
  isCurrent(key: TaskKey): boolean {
    return generationOf(key) === this.#generation
  }

  /** What finished steps and answered gates offer to templates, by step id. */
  results(): Map<string, StepResult> {
    const results = new Map<string, StepResult>()
    for (const { stepId, content, output } of this.finished) results.set(stepId, { content, output })
    for (const step of this.#plan?.steps ?? []) {
      const answer = step.kind === 'gate' ? this.#answers.get(gateKey(this.#keyOf(step.id))) : undefined
      if (answer) results.set(step.id, { content: undefined, output: answer.payload })
    }
    return results
  }

  #addCall(name: string, { effect, touches = [] }: Extract<JournalEntry, { kind: 'call' }>['body']): void {
    for (const touch of touches) this.touched.add(touch)
    const [callId = name, times = '1'] = name.split('#')
    const known = this.startedCalls.get(callId)
    this.startedCalls.set(callId, { effect, times: Math.max(Number(times), known?.times ?? 1) })
  }

  #addFailure(name: string, attempt: number): void {
    const key = name.slice(0, name.lastIndexOf(':'))
    this.#failures.set(key, [...(this.#failures.get(key) ?? []), attempt])
  }

  #adopt(generation: number, plan: unknown): void {
    if (generation < this.#generation) return
    this.#generation = generation
    this.#plan = this.#options.readPlan(plan)
    this.#plannerDue = false
  }

  #demandPlan(generation: number): void {
    if (generation <= this.#generation) return
    this.#generation = generation
    this.#plan = undefined
    this.#plannerDue = true
  }

  #planMove(): NextMove {
    const key = taskKey(this.#generation, plannerStepId)
    return { move: 'plan', generation: this.#generation, key, agentStep: this.#agentStepsBefore(this.#generation) }
  }

  /** Agent steps that finished under earlier plans: a replan goes on after them. */
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
    return { key: approvalKey(key), reasonCode: 'approval_required', inputKind: 'approval', prompt: null }
  }

  #nextUnplanned(executing: ReadonlySet<TaskKey>): NextMove {
    let index = 0
    while (this.done.has(this.#keyOf(unplannedStepId(index)))) index += 1
    if (index > 0 && this.#awaits.get(this.#keyOf(unplannedStepId(index - 1)))?.isLast) return { move: 'finish' }
    const stepId = unplannedStepId(index)
    const key = this.#keyOf(stepId)
    if (executing.has(key)) return { move: 'work', tasks: [], wait: undefined }
    return {
      move: 'work',
      tasks: [{ key, stepId, step: unplannedStep(stepId), agentStep: index, planned: false }],
      wait: undefined,
    }
  }

  #keyOf(stepId: string): TaskKey {
    return taskKey(this.#generation, stepId)
  }

  #isDone(stepId: string): boolean {
    const key = this.#keyOf(stepId)
    return this.done.has(key) || this.#answers.has(gateKey(key))
  }
}

const generationOf = (key: TaskKey): number => Number.parseInt(key, 10)
export const gateKey = (key: TaskKey): string => `gate:${key}`
export const approvalKey = (key: TaskKey): string => `approval:${key}`
export const afterKey = (key: TaskKey): string => `after:${key}`
/** Asked before a call is made; for these arguments and no others. */
export const askKey = (callId: string, argumentsHash: string): string => `ask:${callId}:${argumentsHash}`
/** Asked when nobody knows whether a call took place; anew for each time it was made. */
export const outcomeKey = (callId: string, times: number): string => `outcome:${callId}:${times}`

const unplannedStep = (id: string): ResolvedAgentStep => ({
  kind: 'agent',
  id,
  dependsOn: [],
  wire: { id, instruction: '' },
  instruction: '',
  tools: undefined,
  maxAttempts: defaultMaxAttempts,
  timeoutSeconds: undefined,
  approvalRequired: false,
})
