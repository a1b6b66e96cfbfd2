// The one door through which runs change. Many runs' changes go in one statement; each gets its own outcome.
// A bad row does not fail its batch-mates: they are tried again alone. A commit that nobody confirmed is tried again under
// the same batch id; if it had been applied, the receipt it left says what became of each change.
import { randomUUID } from 'node:crypto'
import { type RunState, targetOf, wireStatus } from '../../domain/run/states.ts'
import { GroupCommit } from '../../runtime/batcher.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { isBadRow, violatedUnique } from '../postgres/errors.ts'
import {
  changeStatement,
  changeStatementName,
  changeValues,
  type RenderedChange,
  renderChange,
  stampedPayload,
} from './change-statement.ts'
import { mergeChanges } from './merge-changes.ts'
import type { Applied, ChangeOutcome, Refusal, RunChange, StoredEvent } from './run-change.ts'

/** What a commit did to one run, for those who watch it. */
export interface Committed {
  readonly runId: string
  readonly state: RunState | undefined
  /** Can be claimed at once. */
  readonly claimable: boolean
  /** Can be claimed after so many ms; left out: not claimable. */
  readonly readyInMs?: number | undefined
  readonly events: readonly StoredEvent[]
}

export type Announce = (committed: readonly Committed[]) => void

export class RunLog {
  readonly #database: Database
  readonly #group: GroupCommit<RenderedChange, ChangeOutcome>

  constructor(database: Database, announce: Announce) {
    this.#database = database
    this.#group = new GroupCommit({
      commit: (batch) => this.#commit(batch),
      after: (batch, outcomes) => announce(batch.flatMap((rendered, n) => committed(rendered, outcomes[n]))),
      keyOf: ({ change }) => change.runId,
      merge: mergeChanges,
    })
  }

  /** Applies one change, or says why not. */
  apply(change: RunChange): Promise<ChangeOutcome> {
    return this.#group.submit(renderChange(change))
  }

  get behindMs(): number {
    return this.#group.behindMs
  }

  async drain(): Promise<void> {
    await this.#group.drain()
  }

  async #commit(batch: readonly RenderedChange[]): Promise<(ChangeOutcome | Error)[]> {
    try {
      return await this.#execute(batch)
    } catch (error) {
      if (!isBadRow(error)) throw error
      if (batch.length > 1) return await this.#commitEachAlone(batch)
      return [violatedUnique(error) === undefined ? (error as Error) : { outcome: 'duplicate', was: undefined }]
    }
  }

  async #commitEachAlone(batch: readonly RenderedChange[]): Promise<(ChangeOutcome | Error)[]> {
    const outcomes: (ChangeOutcome | Error)[] = []
    for (const rendered of batch) outcomes.push(...(await this.#commit([rendered])))
    return outcomes
  }

  async #execute(batch: readonly RenderedChange[]): Promise<ChangeOutcome[]> {
    const batchId = randomUUID()
    const values = changeValues(batch, batchId)
    const rows = await withRetry(async () => {
      try {
        return await this.#database.run<OutcomeRow>({ name: changeStatementName, text: changeStatement, values })
      } catch (error) {
        if (violatedUnique(error) === 'log_batches_pkey') return await this.#receipt(batchId)
        throw error
      }
    })
    return inOrder(rows, batch.length)
  }

  async #receipt(batchId: string): Promise<OutcomeRow[]> {
    const [row] = await this.#database.run<{ outcomes: string }>({
      text: 'select outcomes from log_batches where id = $1',
      values: [batchId],
    })
    if (!row) throw new Error('a batch of the run log has no receipt')
    const outcomes = JSON.parse(row.outcomes) as [number, string, RunState | null, number, number, number][]
    return outcomes.map(([n, outcome, was, epoch, first_seq, at_ms]) => ({ n, outcome, was, epoch, first_seq, at_ms }))
  }
}

type OutcomeRow = {
  n: number
  outcome: string
  was: RunState | null
  epoch: number
  first_seq: number
  at_ms: number
}

function inOrder(rows: readonly OutcomeRow[], count: number): ChangeOutcome[] {
  const outcomes = new Array<ChangeOutcome>(count)
  for (const row of rows) outcomes[row.n] = toOutcome(row)
  return outcomes
}

function toOutcome({ outcome, was, epoch, first_seq, at_ms }: OutcomeRow): ChangeOutcome {
  // Two changes of one run in one statement: the second would have been lost in silence.
  if (outcome === 'again') throw new Error('a flush of the run log held two changes of one run')
  if (outcome === 'applied') return { outcome, was: was as RunState, epoch, firstSeq: first_seq, at: new Date(at_ms) }
  return { outcome: outcome as Refusal, was: was ?? undefined }
}

const committed = (rendered: RenderedChange, outcome: ChangeOutcome | Error | undefined): Committed[] =>
  outcome && 'outcome' in outcome && outcome.outcome === 'applied' ? [committedRun(rendered, outcome)] : []

const committedRun = ({ change, payloads }: RenderedChange, { firstSeq, at, was }: Applied): Committed => ({
  runId: change.runId,
  state: targetOf(change.trigger),
  claimable: change.readyInMs === 0,
  readyInMs: change.readyInMs,
  events: (change.events ?? []).map((event, ord) => ({
    seq: firstSeq + ord,
    type: event.type,
    at,
    redacted: event.redacted ?? false,
    payload: stampedPayload(payloads[ord] ?? 'null', event, wireStatus(was)),
  })),
})
