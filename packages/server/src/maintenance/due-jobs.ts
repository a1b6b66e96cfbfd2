// Runs rare background jobs when they are due by the times in the database, whichever process did them last. A job that
// was interrupted is due at once; one that failed is due again after its time.

import { findDueJobs, type JobTime, recordJob } from '../store/installation/job-times.ts'
import type { Database } from '../store/postgres/database.ts'

export interface RareJob extends JobTime {
  /** The signal aborts when the process stops. */
  readonly runOnce: (signal: AbortSignal) => Promise<unknown>
}

interface DueJobsOptions {
  readonly database: Database
  readonly jobs: readonly RareJob[]
  readonly onError: (error: unknown, name: string) => void
}

export class DueJobs {
  readonly #options: DueJobsOptions
  readonly #running = new Map<string, Promise<void>>()

  constructor(options: DueJobsOptions) {
    this.#options = options
  }

  /** Starts what is due and not running here. One that takes long does not delay the others. */
  async runOnce(signal: AbortSignal): Promise<{ started: number }> {
    const { database, jobs } = this.#options
    const due = await findDueJobs(database, jobs)
    const starting = jobs.filter(({ name }) => due.has(name) && !this.#running.has(name))
    for (const job of starting) this.#running.set(job.name, this.#run(job, signal))
    return { started: starting.length }
  }

  /** Resolves when all that was started has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  async #run({ name, runOnce }: RareJob, signal: AbortSignal): Promise<void> {
    const { database, onError } = this.#options
    const tell = (error: unknown) => onError(error, name)
    await runOnce(signal).catch(tell)
    if (!signal.aborted) await recordJob(database, name).catch(tell)
    this.#running.delete(name)
  }
}
