// Executes one run until it ends, waits, stalls, is parked or handed over. It loops:
//
//   plan if a planner is due; start every task that can start, in parallel; settle each one when it ends;
//   restart a sleeping task when its time has come;
//   when nothing is executing: begin the pending wait, park until the first sleeping task is due, or finish.
//
// While another customer needs its slot, it starts no further task, and hands the run over when nothing is executing.
// Each of these is one change in the ledger, fenced by the worker's epoch. Once the ledger reports that the run is
// lost, only usage is written.
import { setMaxListeners } from 'node:events'
import type { TaskKey } from '../domain/run/journal.ts'
import type { NextMove, Task, Wait } from '../domain/run/next-move.ts'
import type { RunProgress } from '../domain/run/progress.ts'
import { workerTransition } from '../runs/transition-events.ts'
import { awake, backoffMs, sleep, startTimer } from '../runtime/backoff.ts'
import { linkSignals } from '../runtime/linked-signal.ts'
import { TimeSlice } from '../runtime/time-slices.ts'
import { isTransient } from '../store/postgres/errors.ts'
import { Aborted, type AbortReason, throwIfAborted } from './context/abort-reason.ts'
import type { EngineParts } from './context/engine-parts.ts'
import { ExecutionContext } from './context/execution-context.ts'
import type { Lease } from './context/lease.ts'
import { logFields } from './context/log-fields.ts'
import { type StepTime, StepTimes } from './context/step-times.ts'
import { endAborted } from './end-aborted.ts'
import { type RunLedger, RunLost } from './ledger/run-ledger.ts'
import { RunningTasks } from './running-tasks.ts'
import { executeAgentTask } from './tasks/agent-task.ts'
import { beginWait } from './tasks/begin-wait.ts'
import { failBeforeWait } from './tasks/check-before-wait.ts'
import { endOverCeiling, finishRun } from './tasks/finish-run.ts'
import { finishStep } from './tasks/finish-step.ts'
import { planNext } from './tasks/planner-task.ts'
import { goOn, runOver, type Settled } from './tasks/settled.ts'
import type { TaskEnd } from './tasks/task-end.ts'
import { executeToolTask } from './tasks/tool-task.ts'

/** Among the tasks, the end of the run. */
const finishKey: TaskKey = 'finish'
const retryPause = { firstMs: 250, maxMs: 30_000 }

/** The slot that the run takes in its process. */
export interface Slot {
  /** Whether the run is to give its slot back at the next end of a step. */
  readonly isWanted: boolean
  /** Frees the slot. The execution only writes from now on. */
  giveBack(): void
  /** The run has finished a step. */
  stepFinished(): void
}

/** What the process has of the run while it executes it. */
interface Hold {
  readonly slot: Slot
  readonly lease: Lease
}

export class RunExecution {
  readonly #context: ExecutionContext
  readonly #slot: Slot
  readonly #controller = new AbortController()
  readonly #executing = new RunningTasks()
  /** Ended, but a person has to answer first. Settled when nothing else is executing. */
  readonly #held: TaskEnd[] = []
  #handOver = false
  /** A step has ended in this execution. A run yields only then: so each claim brings it forward. */
  #hasAdvanced = false
  /** Ends naps. Undefined while there is none. */
  #naps: AbortController | undefined
  /** When the next attempt of a failed task may start, as a time of the run. */
  readonly #pausedUntil = new Map<TaskKey, number>()
  /** Tasks that continue later, with the time of the run at which they do. */
  readonly #sleeping = new Map<TaskKey, number>()
  readonly #stepTimes = new StepTimes()

  constructor(parts: EngineParts, ledger: RunLedger, { slot, lease }: Hold) {
    this.#slot = slot
    // Every parallel step and call adds a listener.
    setMaxListeners(0, this.#controller.signal)
    this.#context = new ExecutionContext(parts, ledger, { controller: this.#controller, lease })
    ledger.onFailure = () => this.abort('run_failed')
    ledger.onStepFinished = () => slot.stepFinished()
  }

  get #ledger(): RunLedger {
    return this.#context.ledger
  }

  get #progress(): RunProgress {
    return this.#ledger.progress
  }

  /** The time left for the step that has to end first; undefined if none is running. */
  get stepMsLeft(): number | undefined {
    return this.#stepTimes.msLeft
  }

  /** Stops the execution at once. The reason decides what happens to the run. */
  abort(reason: AbortReason): void {
    this.#controller.abort(reason)
  }

  /** Lets the running tasks end, then hands the run over. */
  handOver(): void {
    this.#handOver = true
    this.reconsider()
  }

  /** The slot may be wanted now. Tasks that only wait do not finish their waits here. */
  reconsider(): void {
    this.#naps?.abort(awake)
    this.#naps = undefined
  }

  async execute(): Promise<void> {
    const cancelDeadline = startTimer(this.#ledger.run.remainingMs, () => this.abort('deadline'))
    try {
      if (await this.#isOverBudget()) return
      await this.#context.hideSecrets()
      await this.#context.openRules()
      await this.#context.openAgents()
      await this.#loop()
    } catch (error) {
      await this.#endBadly(error)
    } finally {
      cancelDeadline()
    }
  }

  /** Checked when the execution starts. Tasks check again before each call. */
  async #isOverBudget(): Promise<boolean> {
    const budget = await this.#context.tokens.spentBudget()
    if (budget) await endOverCeiling(this.#context, { usage: [], budget })
    return budget !== undefined
  }

  async #loop(): Promise<void> {
    for (;;) {
      // The timer of the deadline may be late, and a quick step would begin and end before it.
      if (this.#context.clock.secondsLeft <= 0) this.abort('deadline')
      if (this.#controller.signal.aborted) throw new Aborted()
      if (this.#handOver && this.#executing.size === 0 && this.#held.length === 0) {
        this.abort('hand_over')
        continue
      }
      const held = this.#executing.size === 0 ? this.#held.shift() : undefined
      const settled = held ? await this.#finish(held) : await this.#step()
      if (settled.kind === 'run_over') return this.#leave()
    }
  }

  /** The run has ended or waits. Aborts the remaining tasks and records what they used. */
  async #leave(): Promise<void> {
    this.abort('run_failed')
    await this.#executing.allEnded()
    await this.#ledger.flushUsage()
  }

  async #step(): Promise<Settled> {
    if (!this.#handOver && this.#held.length === 0) {
      const over = await this.#startNext()
      if (over) return over
    }
    return this.#executing.size > 0 ? this.#finishNext() : goOn
  }

  async #startNext(): Promise<Settled | undefined> {
    this.#wakeDue()
    const alone = this.#executing.size === 0
    const move = this.#progress.next(new Set([...this.#executing.keys, ...this.#sleeping.keys()]))
    if (move.kind === 'finish') return this.#finishRun()
    if (this.#yieldsBefore(move)) return alone ? this.#yield() : undefined
    // Steps of the previous plan end first.
    if (move.kind === 'plan') return alone ? this.#plan(move) : undefined
    await this.#start(move.tasks)
    if (this.#executing.size > 0) return undefined
    return this.#sleeping.size > 0 ? this.#sleep() : this.#wait(move.wait)
  }

  /** The result may have to be graded first, and the judge's model may be away. */
  async #finishRun(): Promise<Settled> {
    if (this.#sleeping.has(finishKey)) return this.#sleep()
    return this.#noteSleep(finishKey, () => finishRun(this.#context))
  }

  #yieldsBefore(move: Exclude<NextMove, { kind: 'finish' }>): boolean {
    const startsTask = move.kind === 'plan' ? !this.#sleeping.has(move.key) : move.tasks.length > 0
    return startsTask && this.#hasAdvanced && this.#slot.isWanted
  }

  /** Hands the run over between two steps, to continue behind the runs that are ready now. */
  async #yield(): Promise<Settled> {
    this.#slot.giveBack()
    await this.#ledger.apply({ trigger: 'hand_over', readyInMs: 0 })
    return runOver
  }

  async #plan(move: Extract<NextMove, { kind: 'plan' }>): Promise<Settled> {
    const pausedUntilMs = this.#pausedUntil.get(move.key) ?? 0
    if (pausedUntilMs > this.#context.clock.elapsedMs) this.#sleeping.set(move.key, pausedUntilMs)
    if (this.#sleeping.has(move.key)) return this.#sleep()
    const step = this.#timeStep()
    try {
      return await this.#noteSleep(move.key, () => planNext(this.#context, move))
    } finally {
      step.stop()
    }
  }

  /** When the first sleeping task is due. */
  get #nextWakeUpMs(): number {
    return Math.min(...this.#sleeping.values())
  }

  #wakeDue(): void {
    const now = this.#context.clock.elapsedMs
    for (const [key, dueAtMs] of this.#sleeping) if (dueAtMs <= now) this.#sleeping.delete(key)
  }

  /** A parked task continues later. Before the next attempt of a failed one is a pause, which grows each time. */
  async #noteSleep(key: TaskKey, settle: () => Promise<Settled>): Promise<Settled> {
    const failures = this.#progress.failuresOf(key).inAttempt
    const settled = await settle()
    if (settled.kind === 'parked') {
      this.#sleeping.set(key, settled.dueAtMs)
      return goOn
    }
    this.#hasAdvanced = true
    if (settled.kind === 'go_on' && this.#progress.failuresOf(key).inAttempt > failures) {
      this.#pausedUntil.set(key, this.#context.clock.elapsedMs + backoffMs(failures, retryPause))
    }
    return settled
  }

  /**
   * Nothing is executing. A short sleep is waited for here; for a long one, or if the slot is wanted, the run gives up
   * its worker and lease.
   */
  async #sleep(): Promise<Settled> {
    const dueAtMs = this.#nextWakeUpMs
    if ((await this.#nap(dueAtMs)) || this.#handOver) return goOn
    const readyInMs = Math.max(0, dueAtMs - this.#context.clock.elapsedMs)
    const { isWanted } = this.#slot
    // Another run may have given its slot back meanwhile.
    if (!isWanted && readyInMs <= this.#context.parts.providerRetry.parkAboveMs) return goOn
    if (isWanted) this.#slot.giveBack()
    await this.#ledger.apply({ trigger: 'park', readyInMs })
    return runOver
  }

  /** Waits for a time of the run. Returns false if that is too long to wait here, or once the slot is wanted. */
  async #nap(dueAtMs: number): Promise<boolean> {
    for (;;) {
      const ms = dueAtMs - this.#context.clock.elapsedMs
      if (ms <= 0) return true
      if (ms > this.#context.parts.providerRetry.parkAboveMs || this.#handOver || this.#slot.isWanted) return false
      this.#naps ??= new AbortController()
      const nap = linkSignals(this.#controller.signal, this.#naps.signal)
      await sleep(ms, nap.signal)
      nap.release()
      throwIfAborted(this.#controller.signal)
    }
  }

  async #wait(wait: Wait | undefined): Promise<Settled> {
    if (!wait) throw new Error('the run has nothing to do and nothing to wait for')
    const failed = wait.before && (await failBeforeWait(this.#context, wait.before))
    return failed ? this.#finish(failed) : beginWait(this.#context, wait)
  }

  /** Many steps, or steps with much to prepare, do not start all in one turn of the event loop. */
  async #start(tasks: readonly Task[]): Promise<void> {
    const slice = new TimeSlice()
    for (const task of tasks) {
      this.#executing.start(task.key, this.#execute(task))
      if (slice.isOver) await slice.next()
      if (this.#handOver || this.#controller.signal.aborted) return
    }
  }

  async #execute(task: Task): Promise<TaskEnd> {
    const dueAtMs = this.#pausedUntil.get(task.key)
    if (dueAtMs !== undefined && !(await this.#nap(dueAtMs))) return { kind: 'parked', task, dueAtMs }
    const time = this.#timeStep(task.step.timeoutSeconds)
    try {
      return await this.#attempt(task, time)
    } finally {
      time.stop()
    }
  }

  /** A task that waits for a moment stays here, unless the slot is wanted. */
  async #attempt(task: Task, time: StepTime): Promise<TaskEnd> {
    for (;;) {
      const { step } = task
      const end =
        step.kind === 'agent'
          ? await executeAgentTask(this.#context, task, { step, time })
          : await executeToolTask(this.#context, task, { step, time })
      if (end.kind !== 'parked' || !(await this.#nap(end.dueAtMs))) return end
    }
  }

  /** A step that takes too long stalls the run. A plan can only shorten the operator's limit. */
  #timeStep(planned: number = Number.POSITIVE_INFINITY) {
    const seconds = Math.min(planned, this.#context.parts.stepTimeoutSeconds)
    return this.#stepTimes.begin(seconds, () => this.abort('step_timeout'))
  }

  async #finishNext(): Promise<Settled> {
    const wakeUpMs = this.#sleeping.size > 0 ? this.#nextWakeUpMs - this.#context.clock.elapsedMs : undefined
    const end = await this.#executing.takeEnd(wakeUpMs)
    // A sleeping task is due. It starts beside the running ones.
    if (!end) return goOn
    const settled = await this.#finish(end)
    if (settled.kind === 'held') this.#held.push(end)
    return settled
  }

  async #finish(end: TaskEnd): Promise<Settled> {
    const keys = [...this.#executing.keys, ...this.#sleeping.keys()]
    const others = { keys, isQuiet: this.#executing.size === 0 }
    return this.#noteSleep(end.task.key, () => finishStep(this.#context, end, others))
  }

  async #endBadly(thrown: unknown): Promise<void> {
    const { signal } = this.#controller
    const error = this.#ledger.failure ?? thrown
    const reason = signal.aborted && !this.#ledger.failure ? (signal.reason as AbortReason) : undefined
    if (!signal.aborted) this.abort('run_failed')
    await this.#executing.allEnded()
    try {
      if (error instanceof RunLost || reason === 'lost') await this.#ledger.flushUsage()
      // The run itself is fine. Its lease expires, and the next worker continues from the journal.
      else if (isTransient(error)) await this.#ledger.flushUsage()
      else if (reason) await endAborted(this.#context, reason)
      else await this.#failInternally(error)
    } catch (late) {
      if (!(late instanceof RunLost)) this.#logError(late, 'a failed run could not be ended')
    }
  }

  #logError(error: unknown, message: string): void {
    const { logger, observer } = this.#context.parts
    logger.error({ err: error, ...logFields(this.#ledger.run, observer) }, message)
  }

  /** A defect of the service: the run fails visibly instead of being retried forever. */
  async #failInternally(error: unknown): Promise<void> {
    const { requestId } = this.#ledger.run
    this.#logError(error, 'run failed because of an internal error')
    await this.#ledger.apply({
      trigger: 'fail',
      events: [workerTransition('fail', { requestId, reasonCode: 'internal_error' })],
    })
  }
}
