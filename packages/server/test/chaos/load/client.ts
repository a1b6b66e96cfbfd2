// A careful client: every request has a time limit, every outcome is recorded, and what was not acknowledged is sent
// again with the same key.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AwaitingInput, Event, Run } from '@runwright/contract'
import { jsonType } from '../../support/http.ts'
import type { Answer, Ask, History, SeenEvent, SignalAction } from '../checker/history.ts'
import { exchange } from './exchange.ts'
import type { RunRecord } from './run-record.ts'

const requestLimitMs = 5_000
const pageLimit = 200

interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface Place {
  /** Where the service can be reached now; none while all processes start. */
  readonly urls: () => readonly string[]
  readonly key: string
  /** Answers that no client should get. */
  readonly surprises: string[]
  /** Aborted when the trial gives up. */
  readonly signal: AbortSignal
}

export type ShownRun = Pick<Run, 'status'> & { readonly awaiting_input: AwaitingInput | null }

export class Client {
  readonly name: string
  readonly #place: Place
  #turn = 0

  constructor(name: string, place: Place) {
    this.name = name
    this.#place = place
  }

  /** Creates a run, and repeats that until it is acknowledged. `path` is another one for a fork. */
  async create(record: RunRecord, body: object, path = '/v1/runs'): Promise<string> {
    const ask: Ask = { kind: 'create', key: record.key }
    const headers = { 'idempotency-key': record.key }
    const reply = await this.#persistently(() => this.#act(record.history, ask, { path, body, headers }))
    record.acknowledge(String(reply.body.id))
    return String(reply.body.id)
  }

  /** Undefined: no answer came. */
  async read(record: RunRecord): Promise<ShownRun | undefined> {
    const path = `/v1/runs/${record.id}?include=awaiting_input`
    const reply = await this.#act(record.history, { kind: 'read' }, { path })
    return reply?.status === 200 ? (reply.body as unknown as ShownRun) : undefined
  }

  /** True: it was this one that was applied. */
  async signal(record: RunRecord, action: SignalAction, awaitSeq: number, payload?: unknown): Promise<boolean> {
    const key = `${this.name}-${awaitSeq}`
    const ask: Ask = { kind: 'signal', action, awaitSeq, key }
    const body = { action, await_seq: awaitSeq, idempotency_key: key, ...(payload !== undefined && { payload }) }
    const path = `/v1/runs/${record.id}/signal`
    const reply = await this.#persistently(() => this.#act(record.history, ask, { path, body }))
    return reply.status === 200
  }

  /** Once, whether an answer comes or not. */
  async command(record: RunRecord, kind: 'cancel' | 'retry' | 'resume'): Promise<void> {
    await this.#act(record.history, { kind }, { path: `/v1/runs/${record.id}/${kind}`, body: {} })
  }

  async page(record: RunRecord, cursor: number): Promise<void> {
    const path = `/v1/runs/${record.id}/events?cursor=${cursor}&limit=${pageLimit}`
    await this.#act(record.history, { kind: 'events', cursor, limit: pageLimit }, { path })
  }

  /** Reads a stream until it closes or the time is up. Returns the cursor after it. */
  async stream(record: RunRecord, cursor: number, limitMs: number): Promise<number> {
    const ask: Ask = { kind: 'stream', cursor }
    return record.history.record(this.name, ask, async () => {
      const events: SeenEvent[] = []
      const path = `/v1/runs/${record.id}/events/stream?cursor=${cursor}`
      await this.#readStream(path, limitMs, events).catch(() => undefined)
      const answer: Answer | undefined = events.length > 0 ? { kind: 'events', events } : undefined
      return { answer, reply: events.at(-1)?.seq ?? cursor }
    })
  }

  /** A request that is no operation on a run. */
  async plain(path: string, body?: object): Promise<Reply> {
    return this.#persistently(() => this.#send({ path, ...(body && { body }) }).catch(() => undefined))
  }

  async #readStream(path: string, limitMs: number, events: SeenEvent[]): Promise<void> {
    let text = ''
    const onText = (chunk: string) => {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks.filter((each) => each.includes('event: run_event'))) {
        const { seq, type } = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '') as Event
        events.push({ seq, type })
      }
    }
    await exchange({ ...this.#target(path), method: 'GET', limitMs, onText })
  }

  #act(history: History, ask: Ask, request: Request): Promise<Reply | undefined> {
    return history.record(this.name, ask, async () => {
      const reply = await this.#send(request).catch(() => undefined)
      return { answer: reply && this.#answerOf(ask, reply), reply }
    })
  }

  /** Undefined: the answer does not tell what happened. */
  #answerOf(ask: Ask, { status, body }: Reply): Answer | undefined {
    if (status >= 500 || status === 429) return undefined
    if (status === 409 && conflicts.includes(String(body.reason_code))) return { kind: 'refused' }
    if (status !== 200 && status !== 201) {
      this.#place.surprises.push(`${ask.kind} was answered with ${status} ${JSON.stringify(body)}`)
      return undefined
    }
    if (ask.kind === 'read') {
      const { status: state, awaiting_input } = body as unknown as ShownRun
      return { kind: 'state', status: state, awaitSeq: awaiting_input?.seq ?? null }
    }
    if (ask.kind === 'events') return { kind: 'events', events: body.events as SeenEvent[] }
    return { kind: 'ok', replayed: body.replayed === true }
  }

  async #persistently(ask: () => Promise<Reply | undefined>): Promise<Reply> {
    for (;;) {
      const reply = await ask()
      if (reply && (reply.status < 300 || reply.status === 409)) return reply
      await sleep(200, undefined, { signal: this.#place.signal })
    }
  }

  async #send({ path, body, headers }: Request): Promise<Reply> {
    const target = this.#target(path)
    const sent = body
      ? { method: 'POST', body: JSON.stringify(body), headers: { ...target.headers, ...jsonType, ...headers } }
      : { method: 'GET' }
    const [status, text] = await exchange({ ...target, ...sent, limitMs: requestLimitMs })
    return { status, body: JSON.parse(text) }
  }

  /** Takes turns over the processes that serve. */
  #target(path: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
    const urls = this.#place.urls()
    this.#turn += 1
    const url = urls[this.#turn % urls.length]
    if (url === undefined) throw new Error('no process serves')
    return { url: `${url}${path}`, headers: { authorization: `Bearer ${this.#place.key}` } }
  }
}

interface Request {
  readonly path: string
  /** With a body, it is a POST. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

const conflicts = ['RUN_STATE_CONFLICT', 'RUN_NOT_AWAITING_INPUT']

export const newKey = (kind: string): string => `${kind}-${randomUUID()}`
