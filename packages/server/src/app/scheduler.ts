// The part of every process that creates the runs of schedules. It works in the process that has the duty, when the
// sweep finds a schedule that is due.
import { ScheduleRunner } from '../schedules/run-schedules.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import type { Core } from './core.ts'
import { creationIn, type Intake } from './creation.ts'

export class Scheduler {
  readonly #core: Core
  readonly #creator: RunCreator
  readonly #runner: ScheduleRunner
  #unsubscribe: (() => void) | undefined
  #running: Promise<void> | undefined

  constructor(core: Core, intake: Intake) {
    const { database, keys, logger, log, announce } = core
    this.#core = core
    this.#creator = new RunCreator(log, announce)
    this.#runner = new ScheduleRunner({ database, keys, logger, creation: creationIn(core, this.#creator, intake) })
  }

  start(): void {
    this.#unsubscribe = this.#core.signals.schedules.subscribe(() => {
      this.#running ??= this.#run()
    })
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.()
    await this.#running
    await this.#creator.drain()
  }

  /** The next sweep finds what is left. */
  async #run(): Promise<void> {
    await this.#runner.runOnce().catch((error: unknown) => {
      this.#core.logger.warn({ err: error, job: 'schedules' }, 'background job failed')
    })
    this.#running = undefined
  }
}
