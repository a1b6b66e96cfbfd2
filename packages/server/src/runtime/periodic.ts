// Runs a job periodically, with a fixed pause between the end of a run and the start of the next. Tests call the job
// directly.
import { sleep } from './backoff.ts'

interface PeriodicOptions {
  /** The pause, or what returns it before each one. */
  readonly everyMs: number | (() => number)
  /** The signal aborts when `stop` is called. */
  readonly runOnce: (signal: AbortSignal) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

export class Periodic {
  readonly #options: PeriodicOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: PeriodicOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves when the job has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { everyMs, runOnce, onError } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(typeof everyMs === 'number' ? everyMs : everyMs(), signal)
      if (!signal.aborted) await runOnce(signal).catch(onError)
    }
  }
}
