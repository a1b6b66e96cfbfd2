// Runs a job again and again: the next time starts so long after the last one ended. Tests call the job, never the clock.
import { sleep } from './backoff.ts'

export interface PeriodicOptions {
  readonly everyMs: number
  readonly runOnce: () => Promise<unknown>
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
    while (!this.#stopping.signal.aborted) {
      await sleep(everyMs, this.#stopping.signal)
      if (!this.#stopping.signal.aborted) await runOnce().catch(onError)
    }
  }
}
