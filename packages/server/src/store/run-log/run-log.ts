// The only way to change a run. Changes of many runs share one statement; each has its own outcome. When a row of a
// batch is refused by the database, each change of the batch is retried alone. When the answer to a commit is lost, the
// batch is sent again under the same id: if it was applied, its rows in `log_batches` have the outcomes.
import { randomUUID } from 'node:crypto'
import { type RunState, targetOf, wireStatus } from '../../domain/run/states.ts'
import { GroupCommit, type Grouping } from '../../runtime/batcher.ts'
import { type Database, type RetryBudget, withRetry } from '../postgres/database.ts'
import { isBadRow, violatedUnique } from '../postgres/errors.ts'
import { changeStatement, changeStatementName } from './change-statement.ts'
import { changeValues, stampedPayload } from './change-values.ts'
import { isSameWorker, maxChangeSize, mergeChanges } from './merge-changes.ts'
import { type RenderedChange, type RenderedParts, renderChange } from './render-change.ts'
import type { Applied, ChangeOutcome, Counted, Refused, RunChange, StoredEvent } from './run-change.ts'

/** What a commit did to one run. */
export interface Committed {
  readonly customerId: string
  readonly runId: string
  /** The new state; undefined when the change left the state as it was. */
  readonly state: RunState | undefined
  /** The run can be claimed now. */
  readonly claimable: boolean
  /** The run can be claimed after this delay; left out: it cannot be claimed. */
  readonly readyInMs?: number | undefined
  /** The events that were appended, in order. */
  readonly events: readonly StoredEvent[]
  /** The commit also wrote messages to webhooks, about this run or about another one of its batch. */
  readonly hasDeliveries?: boolean
}

/** Is called with what was committed, never with what was refused. Must not throw. */
export type Announce = (committed: readonly Committed[]) => void

interface RunLogOptions extends Pick<Grouping, 'onFlush'> {
  /** How long a change waits for a database that is away. */
  readonly retryBudget?: RetryBudget | undefined
}

/**
 * Applies changes to runs. An implementation keeps these promises:
 *
 * - **A change is atomic.** The run's row, events, journal entries, usage records and their deltas, turns, signal,
 *   result and memory item are all committed, or none of them is. A refused change writes nothing.
 * - **Guards read the locked row.** The row is locked first. Then the conditions are checked in this order: the
 *   customer has such a run (`missing`) and is not being moved (`moving`), `epoch` and `workerId` (`lease_lost`),
 *   `from` (`wrong_state`), `awaitSeq` (`other_wait`), `guard` (`too_early`). The first that fails is the outcome.
 *   Times are compared with the database's clock.
 * - **People decide by the roles of the moment.** If the wait has rules, a signal counts only if the keys in the
 *   database, locked, allow it now (`not_approver`, `requester`). If more people must agree, the outcome is `counted`:
 *   only the vote is written.
 * - **Events are numbered without gaps.** They get the next seqs of the run, in order. All events of a change have one
 *   `at`, in whole milliseconds by the database's clock, and never before the run's previous event. `updated_at` is set
 *   to it if the change has events. A `from_status` that equals `statusOfLockedRow` becomes the status of the locked
 *   row.
 * - **Changes of one run keep their order.** A change is applied after those that were submitted before it have their
 *   outcomes. Two that wait may be merged into one (see `mergeChanges`) and then share its outcome.
 * - **A worker's changes rest on one another.** If one of them is not applied, those that the same worker has submitted
 *   behind it have the same outcome: a result never gets into a journal that lacks the reply that asked for it.
 * - **A change is applied once.** When the answer to a commit is lost, the outcome is found out, not guessed. A journal
 *   entry whose key exists is skipped. Any other key that exists (usage, signal, end of the attempt, memory item)
 *   refuses the change as `duplicate`.
 * - **Commits are announced.** After the commit and before `apply` resolves, `announce` is called with the applied
 *   changes, for each run in the order of its commits.
 */
export class RunLog {
  readonly #database: Database
  readonly #retryBudget: RetryBudget | undefined
  readonly #group: GroupCommit<RenderedChange, ChangeOutcome>

  constructor(database: Database, announce: Announce, { retryBudget, onFlush }: RunLogOptions = {}) {
    this.#database = database
    this.#retryBudget = retryBudget
    this.#group = new GroupCommit({
      onFlush,
      commit: (batch) => this.#commit(batch),
      after: (batch, outcomes) => announce(batch.flatMap((rendered, n) => committed(rendered, outcomes[n]))),
      keyOf: ({ change }) => change.runId,
      merge: mergeChanges,
      refuseBehind: refusalBehind,
      weigh: ({ size }) => size,
      maxWeight: maxChangeSize,
    })
  }

  /**
   * Applies one change. Resolves with `applied` or with the reason for the refusal. Rejects when the database does not
   * accept a value of the change, and with a `DatabaseUnavailableError` when it cannot be reached in time; its
   * `outcomeUnknown` says whether the change may have been committed. `rendered` are its parts, if they were rendered
   * before.
   */
  apply(change: RunChange, rendered?: RenderedParts): Promise<ChangeOutcome> {
    return this.#group.submit(renderChange(change, rendered))
  }

  /** How long the oldest change in the queue has waited, in ms; 0 when the queue is empty. */
  get behindMs(): number {
    return this.#group.behindMs
  }

  /** Resolves when every change that was submitted so far has its outcome. */
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
    const query = { name: changeStatementName, text: changeStatement, values: changeValues(batch, batchId) }
    const rows = await withRetry(async () => {
      try {
        return await this.#database.run<OutcomeRow>(query)
      } catch (error) {
        if (violatedUnique(error) === 'log_batches_pkey') return await this.#receipt(batch, batchId)
        throw error
      }
    }, this.#retryBudget)
    return inOrder(rows, batch.length)
  }

  async #receipt(batch: readonly RenderedChange[], batchId: string): Promise<OutcomeRow[]> {
    const rows = await this.#database.run<{ outcomes: string }>({
      text: 'select outcomes from log_batches where customer_id = any($1::text[]) and id = $2',
      values: [[...new Set(batch.map(({ change }) => change.customerId))], batchId],
    })
    if (rows.length === 0) throw new Error('a batch of the run log has no row in log_batches')
    const found = rows.flatMap(({ outcomes }) => (JSON.parse(outcomes) as Receipt[]).map(fromReceipt))
    // A customer that was erased since then has neither a row nor the run.
    return [...batch.map((_, n) => fromReceipt([n, 'missing', null, 0, 0, 0])), ...found]
  }
}

function refusalBehind(
  { change }: RenderedChange,
  outcome: ChangeOutcome | Error,
  { change: behind }: RenderedChange,
): ChangeOutcome | Error | undefined {
  const isApplied = 'outcome' in outcome && outcome.outcome === 'applied'
  return isApplied || behind.epoch === null || !isSameWorker(change, behind) ? undefined : outcome
}

type Receipt = [n: number, outcome: string, was: RunState | null, epoch: number, firstSeq: number, atMs: number]

const fromReceipt = ([n, outcome, was, epoch, first_seq, at_ms]: Receipt): OutcomeRow => ({
  n,
  outcome,
  was,
  epoch,
  first_seq,
  at_ms,
})

type OutcomeRow = {
  n: number
  outcome: string
  was: RunState | null
  epoch: number
  first_seq: number
  at_ms: number
  /** Left out in a receipt: the sweep finds the messages. */
  has_deliveries?: boolean
}

function inOrder(rows: readonly OutcomeRow[], count: number): ChangeOutcome[] {
  const outcomes = new Array<ChangeOutcome>(count)
  for (const row of rows) outcomes[row.n] = toOutcome(row)
  return outcomes
}

function toOutcome({ outcome, was, epoch, first_seq, at_ms, has_deliveries }: OutcomeRow): ChangeOutcome {
  // Two changes of one run in one statement: the second was not applied.
  if (outcome === 'again') throw new Error('a flush of the run log contained two changes of one run')
  if (outcome === 'applied') {
    const applied = { outcome, was: was as RunState, epoch, firstSeq: first_seq, at: new Date(at_ms) } as const
    return has_deliveries ? { ...applied, hasDeliveries: true } : applied
  }
  return { outcome, was: was ?? undefined } as Counted | Refused
}

const committed = (rendered: RenderedChange, outcome: ChangeOutcome | Error | undefined): Committed[] =>
  outcome && 'outcome' in outcome && outcome.outcome === 'applied' ? [committedRun(rendered, outcome)] : []

const committedRun = (
  { change, payloads }: RenderedChange,
  { firstSeq, at, was, hasDeliveries }: Applied,
): Committed => ({
  customerId: change.customerId,
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
  ...(hasDeliveries && { hasDeliveries }),
})
