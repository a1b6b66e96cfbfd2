// Writes the span of each run that a worker, a client or a sweep of this process ends.

import { terminalStates, wireStatus } from '../../domain/run/states.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Committed } from '../../store/run-log/run-log.ts'
import { findEndedRuns } from '../../store/runs/ended-runs.ts'
import { attributes as names, operations } from './attributes.ts'
import { spanKeys } from './span-ids.ts'
import type { Tracing } from './tracing.ts'

interface RunSpansOptions {
  readonly tracing: Tracing
  readonly database: Database
  readonly logger: Logger
}

export class RunSpans {
  readonly #options: RunSpansOptions
  readonly #writing = new Set<Promise<void>>()

  constructor(options: RunSpansOptions) {
    this.#options = options
  }

  /** One read for all runs that ended in one commit: only their rows know when they began. */
  note(committed: readonly Committed[]): void {
    const ended = committed.filter(({ state }) => state && terminalStates.includes(state))
    if (ended.length === 0) return
    const writing = this.#write(ended)
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, 'spans of ended runs could not be written'))
      .finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#writing)
    await this.#options.tracing.stop()
  }

  async #write(ended: readonly Committed[]): Promise<void> {
    const { tracing, database } = this.#options
    const runs = await findEndedRuns(
      database,
      ended.map(({ customerId, runId: id }) => ({ customerId, id })),
    )
    for (const { runId, state, events } of ended) {
      const run = runs.get(runId)
      if (!run || !state) continue
      const status = wireStatus(state)
      tracing.write({
        run,
        key: spanKeys.run,
        name: operations.run,
        startMs: run.startedAt.getTime(),
        endMs: events.at(-1)?.at.getTime() ?? Date.now(),
        attributes: {
          [names.operation]: operations.run,
          [names.runClass]: run.runClass,
          [names.runStatus]: status,
          [names.attempt]: run.attempt,
        },
        error: status === 'failed' ? status : undefined,
      })
    }
  }
}
