// Creates runs, many in one statement. An idempotency key that is taken gives the run it belongs to.
// A commit that nobody confirmed is simply tried again: the second try finds its own run under the key.
import { type Database, persist } from '../database.ts'
import { isBadRow } from '../database-error.ts'
import { GroupCommit, type Grouping } from '../group-commit.ts'
import { createRow, createStatement, type NewRun, usedKeysStatement } from './create-statement.ts'
import type { Announce, Committed } from './run-log.ts'

export interface ExistingRun {
  readonly id: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: NewRun['runClass']
  readonly createdAt: Date
  readonly bodyHash: Buffer
}

export type CreateOutcome =
  | { readonly outcome: 'created'; readonly createdAt: Date }
  /** The key is taken, by the same or by another body. */
  | { readonly outcome: 'exists'; readonly run: ExistingRun }

export class RunCreator {
  readonly #database: Database
  readonly #announce: Announce
  readonly #group: GroupCommit<NewRun, CreateOutcome>

  constructor(database: Database, announce: Announce, grouping: Grouping = {}) {
    this.#database = database
    this.#announce = announce
    this.#group = new GroupCommit({
      commit: (runs) => this.#commit(runs),
      weigh: (run) => run.input.length + run.metadata.length + (run.sealed?.bytes.length ?? 0),
      ...grouping,
    })
  }

  create(run: NewRun): Promise<CreateOutcome> {
    return this.#group.submit(run)
  }

  /** The run that an idempotency key belongs to. */
  async find(customerId: string, idempotencyKey: string): Promise<ExistingRun | undefined> {
    return (await this.#usedKeys([{ customerId, idempotencyKey }])).get(0)
  }

  get behindMs(): number {
    return this.#group.behindMs
  }

  async drain(): Promise<void> {
    await this.#group.drain()
  }

  async #commit(runs: readonly NewRun[]): Promise<(CreateOutcome | Error)[]> {
    try {
      return await persist(() => this.#createAll(runs))
    } catch (error) {
      if (!isBadRow(error)) throw error
      if (runs.length === 1) return [error as Error]
      const outcomes: (CreateOutcome | Error)[] = []
      for (const run of runs) outcomes.push(...(await this.#commit([run])))
      return outcomes
    }
  }

  async #createAll(runs: readonly NewRun[]): Promise<(CreateOutcome | Error)[]> {
    const values = [`[${runs.map(createRow).join()}]`]
    const rows = await this.#database.run<{ n: number; at_ms: number }>({
      name: 'create-runs',
      text: createStatement,
      values,
    })
    const createdAt = new Map(rows.map((row) => [row.n, new Date(row.at_ms)]))
    const used = createdAt.size < runs.length ? await this.#usedKeys(runs) : new Map<number, ExistingRun>()
    const outcomes = runs.map((run, n) => outcomeOf(run, createdAt.get(n), used.get(n)))
    this.#announce(runs.flatMap((run, n) => committedRun(run, outcomes[n])))
    return outcomes
  }

  async #usedKeys(keys: readonly Pick<NewRun, 'customerId' | 'idempotencyKey'>[]): Promise<Map<number, ExistingRun>> {
    const rows = await this.#database.run<UsedKeyRow>({
      name: 'used-idempotency-keys',
      text: usedKeysStatement,
      values: [keys.map((_, n) => n), keys.map((key) => key.customerId), keys.map((key) => key.idempotencyKey)],
    })
    return new Map(rows.map((row) => [row.n, existingRun(row)]))
  }
}

type UsedKeyRow = {
  n: number
  id: string
  workspace_id: string | null
  subject_id: string | null
  run_class: NewRun['runClass']
  at_ms: number
  body_hash: Buffer
}

const existingRun = (row: UsedKeyRow): ExistingRun => ({
  id: row.id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runClass: row.run_class,
  createdAt: new Date(row.at_ms),
  bodyHash: row.body_hash,
})

function outcomeOf(run: NewRun, createdAt?: Date, existing?: ExistingRun): CreateOutcome | Error {
  if (createdAt) return { outcome: 'created', createdAt }
  if (!existing) return new Error('a create neither inserted a run nor found the one in its way')
  if (existing.id === run.id) return { outcome: 'created', createdAt: existing.createdAt }
  return { outcome: 'exists', run: existing }
}

function committedRun(run: NewRun, outcome: CreateOutcome | Error | undefined): Committed[] {
  if (!outcome || outcome instanceof Error || outcome.outcome !== 'created') return []
  const created = {
    seq: 1,
    type: 'run.created',
    at: outcome.createdAt,
    redacted: true,
    payload: run.createdPayload,
  } as const
  return [{ runId: run.id, state: 'queued', claimable: true, events: [created] }]
}
