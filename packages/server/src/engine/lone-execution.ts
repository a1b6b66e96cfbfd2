// Executes a run that must be alone: waits until its process executes nothing else, notes that in the database, and
// only then opens the run. Whatever ends the process from then on, this run has done it.
import type { RunChange } from '../store/run-log/run-change.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import type { AbortReason } from './context/abort-reason.ts'
import type { RunExecution } from './run-execution.ts'

/** What can be done with a run that is executed. */
export type Executing = Pick<RunExecution, 'execute' | 'abort' | 'handOver' | 'reconsider' | 'stepMsLeft'>

interface LoneExecutionOptions {
  readonly runLog: RunLog
  /** Resolves with false if the process did not become free in time. */
  readonly untilAlone: (signal: AbortSignal) => Promise<boolean>
  readonly open: () => RunExecution
}

/** Until another worker, or this one, tries again. */
const retryMs = 30_000

export class LoneExecution implements Executing {
  readonly #run: ClaimedRun
  readonly #options: LoneExecutionOptions
  readonly #waiting = new AbortController()
  #opened: RunExecution | undefined

  constructor(run: ClaimedRun, options: LoneExecutionOptions) {
    this.#run = run
    this.#options = options
  }

  get stepMsLeft(): number | undefined {
    return this.#opened?.stepMsLeft
  }

  abort(reason: AbortReason): void {
    this.#opened?.abort(reason)
    this.#waiting.abort(reason)
  }

  handOver(): void {
    this.#opened?.handOver()
    this.#waiting.abort('hand_over' satisfies AbortReason)
  }

  reconsider(): void {
    this.#opened?.reconsider()
  }

  async execute(): Promise<void> {
    const { signal } = this.#waiting
    const isAlone = await this.#options.untilAlone(signal)
    if (signal.aborted) return signal.reason === 'lost' ? undefined : this.#giveBack(0)
    if (!isAlone) return this.#giveBack(retryMs)
    if (!(await this.#apply({ trigger: 'progress', isAlone: true }))) return
    if (signal.aborted) return this.#giveBack(0)
    this.#opened = this.#options.open()
    await this.#opened.execute()
  }

  /** It stays running, without an event. */
  async #giveBack(readyInMs: number): Promise<void> {
    await this.#apply({ trigger: 'hand_over', readyInMs })
  }

  /** Returns false if this worker no longer holds the run. */
  async #apply(change: Pick<RunChange, 'trigger' | 'readyInMs' | 'isAlone'>): Promise<boolean> {
    const { id: runId, customerId, epoch, workerId } = this.#run
    const { outcome } = await this.#options.runLog.apply({ runId, customerId, epoch, workerId, ...change })
    return outcome === 'applied'
  }
}
