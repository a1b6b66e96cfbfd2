// Creates runs, many in one statement. A used idempotency key returns the run it belongs to. A commit whose answer was
// lost is retried: the second attempt finds its own run under the key.

import { GroupCommit, type Grouping } from '../../runtime/batcher.ts'
import type { BatchStatement } from '../postgres/batch-query.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { isBadRow, violatedUnique } from '../postgres/errors.ts'
import { createAllStatement, createNewStatement, type NewRun, usedKeysStatement } from './create-statement.ts'
import { forkStatement, type NewFork } from './fork-statement.ts'
import { keyHash } from './removed-keys.ts'
import type { Announce, Committed } from './run-log.ts'

export interface ExistingRun {
  readonly id: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: NewRun['runClass']
  readonly createdAt: Date
  readonly bodyHash: Buffer
}

const removed = { outcome: 'removed' } as const

/** What an idempotency key was used for. */
export type UsedKey = Extract<CreateOutcome, { readonly outcome: 'exists' | 'removed' }>

export type CreateOutcome =
  | { readonly outcome: 'created'; readonly createdAt: Date; readonly hasDeliveries?: boolean }
  /** The key is used, by the same or by another body. */
  | { readonly outcome: 'exists'; readonly run: ExistingRun }
  /** The key is that of a run that was removed. */
  | typeof removed

const carefulMs = 500

export class RunCreator {
  readonly #database: Database
  readonly #announce: Announce
  readonly #group: GroupCommit<NewRun, CreateOutcome>
  #carefulUntil = 0

  constructor(database: Database, announce: Announce, grouping: Grouping = {}) {
    this.#database = database
    this.#announce = announce
    this.#group = new GroupCommit({
      commit: (runs) => this.#commit(runs),
      after: (runs, outcomes) => this.#announce(committedRuns(runs, outcomes)),
      weigh: (run) => run.input.length + run.metadata.length + (run.sealed?.bytes.length ?? 0),
      // Two, because the connection is pipelined: the database has the next batch at hand when it finishes one.
      lanes: 2,
      nextLaneAbove: 15,
      enough: 16,
      ...grouping,
    })
  }

  create(run: NewRun): Promise<CreateOutcome> {
    return this.#group.submit(run)
  }

  /** Alone, because forks are rare and may be large. */
  async fork(run: NewFork): Promise<CreateOutcome> {
    const outcomes = await withRetry(() => this.#createNew([run], forkStatement))
    this.#announce(committedRuns([run], outcomes))
    const [outcome] = outcomes
    if (!outcome || outcome instanceof Error) throw outcome
    return outcome
  }

  /** What an idempotency key was used for; undefined: it was not used. */
  async find(customerId: string, idempotencyKey: string): Promise<UsedKey | undefined> {
    return (await this.#usedKeys([{ customerId, idempotencyKey }])).get(0)
  }

  get behindMs(): number {
    return this.#group.behindMs
  }

  async drain(): Promise<void> {
    await this.#group.drain()
  }

  async #commit(runs: readonly NewRun[]): Promise<readonly (CreateOutcome | Error)[]> {
    try {
      return await withRetry(() => this.#createAll(runs))
    } catch (error) {
      if (!isBadRow(error)) throw error
      if (runs.length === 1) return [error as Error]
      const outcomes: (CreateOutcome | Error)[] = []
      for (const run of runs) outcomes.push(...(await this.#commit([run])))
      return outcomes
    }
  }

  /** Used keys are rare and come in bursts, so after one the careful statement is used for a while. */
  async #createAll(runs: readonly NewRun[]): Promise<readonly (CreateOutcome | Error)[]> {
    if (performance.now() < this.#carefulUntil) return this.#createNew(runs, createNewStatement)
    try {
      const [row] = await this.#database.runBatch<CreatedRow, NewRun>(createAllStatement, runs.toSorted(byKey))
      const outcome = created(new Date(row?.at_ms ?? Number.NaN), row?.has_deliveries)
      return runs.map(() => outcome)
    } catch (error) {
      if (violatedUnique(error) === undefined) throw error
      this.#carefulUntil = performance.now() + carefulMs
      return this.#createNew(runs, createNewStatement)
    }
  }

  async #createNew<Run extends NewRun>(
    runs: readonly Run[],
    statement: BatchStatement<Run>,
  ): Promise<(CreateOutcome | Error)[]> {
    const rows = await this.#insertNew(runs, statement)
    const createdAt = new Map(rows.map((row) => [row.index, new Date(row.at_ms)]))
    const used = createdAt.size < runs.length ? await this.#usedKeys(runs) : new Map<number, UsedKey>()
    const hasDeliveries = rows[0]?.has_deliveries
    return runs.map((run, n) => outcomeOf(run, { createdAt: createdAt.get(n), hasDeliveries }, used.get(n)))
  }

  /** If a run is removed meanwhile, the second attempt sees its key. */
  async #insertNew<Run extends NewRun>(
    runs: readonly Run[],
    statement: BatchStatement<Run>,
  ): Promise<(CreatedRow & { index: number })[]> {
    for (;;) {
      try {
        return await this.#database.runBatch<CreatedRow & { index: number }, Run>(statement, runs)
      } catch (error) {
        if (violatedUnique(error) !== 'removed_keys_pkey') throw error
      }
    }
  }

  async #usedKeys(keys: readonly Pick<NewRun, 'customerId' | 'idempotencyKey'>[]): Promise<Map<number, UsedKey>> {
    const rows = await this.#database.run<UsedKeyRow>({
      name: 'used-idempotency-keys',
      text: usedKeysStatement,
      values: [
        keys.map((_, n) => n),
        keys.map((key) => key.customerId),
        keys.map((key) => key.idempotencyKey),
        keys.map((key) => keyHash(key.customerId, key.idempotencyKey)),
      ],
    })
    return new Map(rows.map((row) => [row.n, usedKey(row)]))
  }
}

/** All processes insert keys in the same order, so that they wait for each other instead of deadlocking. */
function byKey(one: NewRun, other: NewRun): number {
  if (one.customerId !== other.customerId) return one.customerId < other.customerId ? -1 : 1
  return one.idempotencyKey < other.idempotencyKey ? -1 : 1
}

type CreatedRow = { at_ms: number; has_deliveries: boolean }

/** The columns are null if the run was removed. */
type UsedKeyRow = { n: number } & (ExistingRow | { id: null })

type ExistingRow = {
  id: string
  workspace_id: string | null
  subject_id: string | null
  run_class: NewRun['runClass']
  at_ms: number
  body_hash: Buffer
}

const usedKey = (row: UsedKeyRow): UsedKey => (row.id === null ? removed : { outcome: 'exists', run: existingRun(row) })

const existingRun = (row: ExistingRow): ExistingRun => ({
  id: row.id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runClass: row.run_class,
  createdAt: new Date(row.at_ms),
  bodyHash: row.body_hash,
})

const created = (createdAt: Date, hasDeliveries: boolean | undefined): CreateOutcome =>
  hasDeliveries ? { outcome: 'created', createdAt, hasDeliveries } : { outcome: 'created', createdAt }

interface Insertion {
  readonly createdAt: Date | undefined
  readonly hasDeliveries: boolean | undefined
}

function outcomeOf(run: NewRun, { createdAt, hasDeliveries }: Insertion, used?: UsedKey): CreateOutcome | Error {
  if (createdAt) return created(createdAt, hasDeliveries)
  if (!used) return new Error('a create neither inserted a run nor found the run that has its key')
  const isOwn = used.outcome === 'exists' && used.run.id === run.id
  return isOwn ? { outcome: 'created', createdAt: used.run.createdAt } : used
}

function committedRuns(runs: readonly NewRun[], outcomes: readonly (CreateOutcome | Error)[]): Committed[] {
  const committed: Committed[] = []
  for (const [n, run] of runs.entries()) {
    const outcome = outcomes[n]
    if (!outcome || outcome instanceof Error || outcome.outcome !== 'created') continue
    const event = {
      seq: 1,
      type: 'run.created',
      at: outcome.createdAt,
      redacted: true,
      payload: run.createdPayload,
    } as const
    const { customerId, id: runId } = run
    const more = outcome.hasDeliveries && { hasDeliveries: true }
    committed.push({ customerId, runId, state: 'queued', claimable: true, events: [event], ...more })
  }
  return committed
}
