// The parameters of the statement that changes runs. Rows that a batch has many of arrive as arrays, one per column.
// The rest is JSON: the changes themselves, because most of their columns are empty, and memories, which have arrays.
import { randomUUID } from 'node:crypto'
import { maxDecisions } from '@runwright/contract'
import type { AskedCall } from '../../domain/run/asked-call.ts'
import { raisesEpoch, statesThatAllow, targetOf } from '../../domain/run/states.ts'
import { type Encoding, encodeArray, encodings } from '../postgres/array-encoding.ts'
import { type BatchColumn, columnOf } from '../postgres/batch-query.ts'
import { encodeJson, encodeText } from '../postgres/encode-json.ts'
import { type RenderedChange, type RenderedTurn, renderTurn } from './render-change.ts'
import type { NewEvent, NewSignal, NewTurn, NewUsage, NewWait, RunChange } from './run-change.ts'

/** A `from_status` with this value is replaced by the status of the locked row. */
export const statusOfLockedRow = '@'
export const fromStatusMark = `"from_status":"${statusOfLockedRow}"`

const isStamped = (event: NewEvent): boolean => event.payload.from_status === statusOfLockedRow

/** The payload as the statement stores it. */
export const stampedPayload = (text: string, event: NewEvent, was: string): string =>
  isStamped(event) ? text.replace(fromStatusMark, `"from_status":"${was}"`) : text

/** The rows of one kind that changes write. */
interface Rows<Item> {
  readonly of: (rendered: RenderedChange) => readonly Item[]
  readonly columns: Readonly<Record<string, BatchColumn<Item>>>
}

const rows = <Item>(of: Rows<Item>['of'], columns: Rows<Item>['columns']) => ({ of, columns }) as Rows<unknown>

interface RenderedEvent {
  readonly event: NewEvent
  readonly ord: number
  readonly payload: string
}

const event = columnOf<RenderedEvent>()
const entry = columnOf<{ readonly key: string; readonly body: string }>()
const usage = columnOf<NewUsage>()
const signal = columnOf<NewSignal>()
const result = columnOf<NonNullable<RunChange['result']>>()
const turn = columnOf<NewTurn & RenderedTurn & { readonly ord: number }>()
const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : encodeJson(value))
const optional = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value])

const kinds = {
  events: rows(
    ({ change, payloads }) =>
      (change.events ?? []).map((one, ord) => ({ event: one, ord, payload: payloads[ord] ?? 'null' })),
    {
      ord: event('int4', ({ ord }) => ord),
      type: event('text', (one) => one.event.type),
      terminal: event('bool', (one) => one.event.terminal ?? false),
      redacted: event('bool', (one) => one.event.redacted ?? false),
      stamped: event('bool', (one) => isStamped(one.event)),
      payload: event('json', (one) => one.payload),
    },
  ),
  journal: rows(
    ({ change, journal }) => (change.journal ?? []).map(({ key }, ord) => ({ key, body: journal[ord] ?? 'null' })),
    { key: entry('text', ({ key }) => encodeText(key)), body: entry('json', ({ body }) => body) },
  ),
  usage: rows(({ change }) => change.usage ?? [], {
    key: usage('text', ({ key }) => encodeText(key)),
    event_type: usage('text', ({ eventType }) => eventType),
    quantity: usage('int8', ({ quantity }) => quantity),
    details: usage('json', ({ details }) => jsonOf(details)),
  }),
  signals: rows(({ change }) => optional(change.signal), {
    idempotency_key: signal('text', ({ idempotencyKey }) => idempotencyKey),
    body_hash: signal('bytea', ({ bodyHash }) => bodyHash),
    action: signal('text', ({ action }) => action),
    payload: signal('json', ({ payload }) => payload),
    key_id: signal('text', ({ by }) => by.keyId),
    key_name: signal('text', ({ by }) => by.keyName && encodeText(by.keyName)),
    call: signal('json', ({ call }) => jsonOf(call)),
    calls: signal('json', ({ calls }) => jsonOf(calls)),
    person: signal('text', ({ by }) => by.person && encodeText(by.person)),
    roles: signal('json', ({ by }) => encodeJson(by.roles)),
    via: signal('text', ({ by }) => by.via),
  }),
  results: rows(({ change }) => optional(change.result), {
    redacted: result('bool', ({ redacted }) => redacted),
    value: result('json', ({ value }) => encodeJson(value)),
  }),
  turns: rows(({ change }) => (change.turns ?? []).map((one, ord) => ({ ...one, ...renderTurn(one), ord })), {
    ord: turn('int4', ({ ord }) => ord),
    attempt: turn('int4', ({ attempt }) => attempt),
    epoch: turn('int4', ({ epoch }) => epoch),
    task_key: turn('text', ({ taskKey }) => encodeText(taskKey)),
    call_key: turn('text', ({ callKey }) => encodeText(callKey)),
    role: turn('text', ({ role }) => role),
    left_ms: turn('float8', ({ leftMs }) => leftMs),
    shared: turn('int4', ({ shared }) => shared),
    size: turn('int4', ({ size }) => size),
    messages: turn('json', ({ messagesJson }) => messagesJson),
    body: turn('json', ({ bodyJson }) => bodyJson),
  }),
}

/** `n` says which change of the batch a row belongs to. The first three parameters are not arrays. */
const firstArray = 4

/** For a `from`: the rows of a kind. */
export function batchRows(kind: keyof typeof kinds, alias: string): string {
  let next = firstArray
  for (const [each, { columns }] of Object.entries(kinds)) {
    const types = ['int4', ...Object.values(columns).map(({ type }) => type)]
    const parameters = types.map((type, index) => `$${next + index}::${type}[]`)
    if (each === kind)
      return `unnest(${parameters.join(', ')}) as ${alias}(${['n', ...Object.keys(columns)].join(', ')})`
    next += types.length
  }
  throw new Error(`changes have no ${kind}`)
}

function arraysOf(batch: readonly RenderedChange[], { of, columns }: Rows<unknown>): (Buffer | null)[] {
  const items: unknown[] = []
  const owners: number[] = []
  for (const [n, change] of batch.entries()) {
    for (const item of of(change)) {
      items.push(item)
      owners.push(n)
    }
  }
  const arrays = Object.values(columns).map(({ type, read }) =>
    encodeArray(encodings[type] as Encoding<unknown>, items.map(read)),
  )
  return [encodeArray(encodings.int4, owners), ...arrays]
}

/** The values of one execution of the statement. */
export function changeValues(batch: readonly RenderedChange[], batchId: string = randomUUID()): unknown[] {
  const changes = batch.map(({ change }, n) => changeRow(change, n))
  const memories = batch.flatMap(({ change }, n) => (change.memory ? [{ n, ...change.memory }] : []))
  const arrays = Object.values(kinds).flatMap((kind) => arraysOf(batch, kind))
  return [encodeJson(changes), encodeJson(memories), batchId, ...arrays]
}

const changeRow = (change: RunChange, n: number) => {
  const { trigger, wait, act, signal } = change
  return {
    n,
    run_id: change.runId,
    customer_id: change.customerId,
    epoch: change.epoch,
    held_by: change.workerId,
    from_states: statesThatAllow(trigger),
    guard: change.guard,
    await_seq: change.awaitSeq,
    to_state: targetOf(trigger),
    ready_ms: change.readyInMs,
    worker_id: change.lease?.workerId,
    lease_ms: change.lease?.ms,
    wait_ms: wait?.timeoutMs,
    epoch_bump: raisesEpoch(trigger) ? 1 : 0,
    attempt_bump: change.startsAttempt ? 1 : 0,
    recoveries: change.resetsRecoveries ? 0 : undefined,
    lost_workers: change.resetsRecoveries && !change.keepsLostWorkers ? 0 : undefined,
    lost_bump: change.losesWorker ? 1 : 0,
    alone: change.isAlone,
    request_id: change.requestId,
    tokens: change.tokens ?? 0,
    event_count: change.events?.length ?? 0,
    turn_count: change.turns?.length ?? 0,
    ...(wait && waitColumns(wait)),
    ...(signal && { decider: deciderOf(signal) }),
    ...(act && { act: act.action, act_key_id: act.by.keyId, act_via: act.by.via, act_details: act.details }),
  }
}

/** For `decide`, which also stores an answer that is only counted. */
const deciderOf = (signal: NewSignal) => ({
  key_id: signal.by.keyId,
  key_name: signal.by.keyName,
  person: signal.by.person,
  roles: signal.by.roles,
  roles_from: signal.by.rolesFrom,
  answer: signal.answerHash.toString('hex'),
  is_no: signal.isNo,
  max_votes: maxDecisions,
  ...(signal.mayBeCounted && {
    via: signal.by.via,
    action: signal.action,
    payload: signal.payload === null ? null : JSON.parse(signal.payload),
    call: signal.call,
    calls: signal.calls,
    idempotency_key: signal.idempotencyKey,
    body_hash: signal.bodyHash.toString('hex'),
  }),
})

/** What can be large is in `wait_content`. The schema of an answer is, and so are the calls after the first. */
const waitColumns = ({ key, reasonCode, inputKind, prompt, call, others, rules }: NewWait) => {
  const { approval_schema, ...deciders } = rules ?? {}
  return {
    wait: {
      key,
      reason_code: reasonCode,
      input_kind: inputKind,
      ...(call && waitCall(call)),
      ...(others && others.length > 0 && { others: others.map((one) => ({ key: one.key, ...waitCall(one.call) })) }),
      ...(Object.keys(deciders).length > 0 && { rules: deciders }),
      ...(approval_schema && { has_schema: true }),
    },
    wait_content: {
      prompt,
      ...(call && contentOf(call)),
      ...(others &&
        others.length > 0 && { others: others.map((one) => ({ prompt: one.prompt, ...contentOf(one.call) })) }),
      ...(approval_schema && { approval_schema }),
    },
  }
}

const waitCall = (call: AskedCall) => ({
  tool: call.tool,
  arguments_hash: call.argumentsHash,
  why: call.why,
  has_read: call.hasRead,
  call_id: call.callId,
  call_key: call.idempotencyKey,
})

const contentOf = ({ arguments: input, schema }: AskedCall) => ({
  arguments: input,
  ...(schema && { arguments_schema: schema }),
})
