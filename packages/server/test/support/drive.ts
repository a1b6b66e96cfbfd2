// Does to runs what workers do, through the run log: for tests that need a run in a state without an engine.
import { randomUUID } from 'node:crypto'
import { plannerStepId, taskKey } from '../../src/domain/run/journal.ts'
import { derivedWireId } from '../../src/runtime/derived-ids.ts'
import { fromWireId, newUuid, toWireId } from '../../src/runtime/ids.ts'
import { toVectorBytes } from '../../src/store/memory/vector-bytes.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { statusOfLockedRow } from '../../src/store/run-log/change-values.ts'
import type { Applied, NewEvent, NewWait, RunChange } from '../../src/store/run-log/run-change.ts'
import { RunLog } from '../../src/store/run-log/run-log.ts'

export const driverRequestId = 'req_driver'

/** The task that a run without a plan begins with. */
export const plannerTaskOf = (runId: string): string =>
  derivedWireId('task', fromWireId('run', runId) ?? '', taskKey(1, plannerStepId))

type Move = Omit<RunChange, 'runId' | 'customerId' | 'epoch'>

interface Result {
  readonly redacted: boolean
  readonly value: { readonly content: string; readonly output: unknown }
}

const transition = (type: NewEvent['type'], to_status: string, reason_code: string | null): NewEvent => ({
  type,
  payload: { request_id: driverRequestId, from_status: statusOfLockedRow, to_status, reason_code },
})

const claim: Move = {
  trigger: 'claim',
  lease: { workerId: randomUUID(), ms: 3_600_000 },
  events: [transition('run.worker.started', 'running', null)],
}

const stall = (reason: string): Move => ({
  trigger: 'stall',
  events: [transition('run.worker.stalled', 'stalled', reason)],
})

const fail = (reason: string): Move => ({
  trigger: 'fail',
  events: [{ ...transition('run.worker.failed', 'failed', reason), terminal: true }],
})

const succeed = (result: Result): Move => ({
  trigger: 'succeed',
  result,
  events: [{ ...transition('run.worker.succeeded', 'succeeded', null), terminal: true }],
})

export const overCeiling = { limitType: 'cost_ceiling', currentValue: 120, threshold: 100, unit: 'tokens' }

const replanAfterTimeout: Move = {
  trigger: 'signal_timeout_replan',
  lease: { workerId: randomUUID(), ms: 3_600_000 },
  events: [{ type: 'run.coordination.decision', payload: { request_id: driverRequestId, decision_type: 'replan' } }],
}

const exceedLimit: Move = {
  trigger: 'exceed_limit',
  events: [{ type: 'run.limit_exceeded', payload: overCeiling, terminal: true }],
}

const awaitInput = (wait: NewWait): Move => ({
  trigger: 'await_input',
  wait,
  events: [
    {
      type: 'run.coordination.decision',
      payload: {
        request_id: driverRequestId,
        decision_type: 'await_input',
        reason_code: 'input_required',
        role: 'judge',
        judge_decision: { decision: 'await_input', reason: 'A person has to look at it' },
      },
    },
    {
      type: 'run.awaiting_input',
      payload: {
        request_id: driverRequestId,
        reason_code: wait.reasonCode,
        ...(wait.inputKind === null ? {} : { input_kind: wait.inputKind }),
      },
    },
  ],
})

const anyWait: NewWait = {
  reasonCode: 'needs_review',
  inputKind: 'approval',
  prompt: 'Pay?',
  timeoutMs: 3_600_000,
  key: 'test',
}
const anyResult: Result = { redacted: false, value: { content: 'Done.', output: { answer: 42 } } }

/** Takes a run to a state from wherever it is; from `queued` it is claimed first. Ids are those of the wire. */
export class Driver {
  readonly #database: Database
  readonly #log: RunLog
  readonly #customerId: string

  constructor(database: Database, customerId = 'acme') {
    this.#database = database
    this.#customerId = customerId
    this.#log = new RunLog(database, () => undefined)
  }

  async apply(id: string, move: Move): Promise<Applied> {
    const runId = fromWireId('run', id) ?? id
    const outcome = await this.#log.apply({ ...move, runId, customerId: this.#customerId, epoch: null })
    if (outcome.outcome !== 'applied') throw new Error(`${id} was ${outcome.was}: ${outcome.outcome}`)
    return outcome
  }

  toRunning = (id: string) => this.apply(id, claim)
  toStalled = (id: string, reason = 'heartbeat_lost') => this.#fromRunning(id, stall(reason))
  toFailed = (id: string, reason = 'provider_error') => this.#fromRunning(id, fail(reason))
  toSucceeded = (id: string, result = anyResult) => this.#fromRunning(id, succeed(result))
  /** The time for an answer is over, and the run goes on. */
  replanAfterTimeout = (id: string) => this.apply(id, replanAfterTimeout)
  toLimitExceeded = (id: string) => this.#fromRunning(id, exceedLimit)

  /** The `seq` of the `run.awaiting_input`. */
  async toAwaiting(id: string, wait: Partial<NewWait> = {}): Promise<number> {
    const { firstSeq } = await this.#fromRunning(id, awaitInput({ ...anyWait, ...wait }))
    return firstSeq + 1
  }

  /** Events, usage and tokens of a run that goes on as it is. */
  progress = (id: string, made: Pick<Move, 'events' | 'usage' | 'tokens'>) =>
    this.#fromRunning(id, { trigger: 'progress', ...made })

  async #fromRunning(id: string, move: Move): Promise<Applied> {
    const { state } = await this.#stateOf(id)
    if (state === 'queued') await this.toRunning(id)
    return this.apply(id, move)
  }

  async #stateOf(id: string): Promise<{ state: string }> {
    const rows = await this.#database.query<{ state: string }>({
      text: 'select state from runs where id = $1',
      values: [fromWireId('run', id)],
    })
    if (!rows[0]) throw new Error(`there is no run ${id}`)
    return rows[0]
  }
}

/** So many deltas of streamed text. */
export const deltas = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    type: 'step.progress',
    payload: { kind: 'content_delta', content_delta: `word ${n + 1} ` },
  }))

interface OldUsage {
  readonly at: string
  readonly eventType: string
  readonly quantity?: number
  readonly workspaceId?: string | null
  readonly subjectId?: string | null
  readonly customerId?: string
}

/** A usage record of another day, which no request can make. */
export async function recordUsage(database: Database, usage: OldUsage): Promise<void> {
  const { at, eventType, quantity = 1, workspaceId = null, subjectId = null, customerId = 'acme' } = usage
  await database.query({
    text: `
      with record as (
        insert into usage_rows (run_id, key, customer_id, workspace_id, subject_id, event_type, quantity, at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        returning *
      )
      insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
      select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, 1, quantity
      from record`,
    values: [newUuid(), randomUUID(), customerId, workspaceId, subjectId, eventType, quantity, at],
  })
}

interface Remembered {
  readonly id: string
  readonly customer_id: string
  readonly workspace_id: string | null
  readonly subject_id: string | null
  readonly run_id: string | null
  readonly kind: string
  readonly status: string
  readonly harness: boolean
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
  readonly confidence: number | null
  readonly superseded_by: string | null
  readonly embedding_model: string | null
  readonly embedding: readonly number[] | null
  readonly created_at: string
  readonly updated_at: string
}

/** Stores a memory item as the engine would; gives back its id on the wire. */
export async function remember(database: Database, changes: Partial<Remembered> = {}): Promise<string> {
  const now = new Date().toISOString()
  const item: Remembered = {
    id: newUuid(),
    customer_id: 'acme',
    workspace_id: null,
    subject_id: null,
    run_id: null,
    kind: 'fact',
    status: 'active',
    harness: false,
    title: 'Approval limit',
    content: 'Payments over 1,000.00 need an approval.',
    tags: [],
    confidence: null,
    superseded_by: null,
    embedding_model: null,
    embedding: null,
    created_at: now,
    updated_at: now,
    ...changes,
  }
  const { embedding, ...rest } = item
  const row = { ...rest, embedding_bytes: embedding && toVectorBytes(Float32Array.from(embedding)) }
  const columns = Object.keys(row)
  const places = columns.map((_, n) => `$${n + 1}`)
  const text = `insert into memory_items (${columns.join(', ')}) values (${places.join(', ')})`
  await database.query({ text, values: Object.values(row) })
  return toWireId('mem', item.id)
}

const tables = ['runs', 'run_inputs', 'run_results', 'events', 'journal', 'signals', 'usage_records', 'api_keys']

/** How many rows stand in every table that a request could write to. */
export async function rowCounts(database: Database): Promise<Record<string, number>> {
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`)
  const [row] = await database.query<Record<string, number>>({ text: `select ${counts.join(', ')}` })
  return row ?? {}
}
