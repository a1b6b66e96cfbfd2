// Runs a job again and again: the next time starts so long after the last one ended. Tests call the job, never the clock.
import { sleep } from './backoff.ts'

export interface PeriodicOptions {
  readonly everyMs: number
  /** The signal says that the job is to end. */
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

  /** Resolves when the job is no longer running. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { everyMs, runOnce, onError } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(everyMs, signal)
      if (!signal.aborted) await runOnce(signal).catch(onError)
    }
  }
}
