// A tiny client for tests: any request, any header, no retries, no help; an SSE reader; raw sockets for what is no
// HTTP.
import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import type { CreatedRun, ErrorBody, Event, EventPage, EventType, Run } from '@runwright/contract'
import { expect } from 'vitest'

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

interface Ask {
  readonly method?: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body?: unknown
}

export const bearer = (key: string) => `Bearer ${key}`
export const jsonType = { 'content-type': 'application/json' }
export const emptyRun = { input: {}, metadata: {} }

/** One who calls the service with a key, or, with null, without one. */
export class Caller {
  readonly url: string
  readonly key: string | null

  constructor(url: string, key: string | null) {
    this.url = url
    this.key = key
  }

  send({ method = 'GET', path, headers = {}, body }: Ask): Promise<Reply> {
    return exchange(this.#open({ method, path, headers }, body), body)
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return this.send({ path, headers })
  }

  post(path: string, body?: unknown, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return this.send({
      method: 'POST',
      path,
      body,
      headers: body === undefined ? headers : { ...jsonType, ...headers },
    })
  }

  /** Create with a fresh idempotency key, unless the headers say otherwise. */
  create(body: unknown = emptyRun, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    return this.post('/v1/runs', body, { 'idempotency-key': randomUUID(), ...headers })
  }

  /** Creates a run that must be accepted. */
  async newRun(body: object = {}): Promise<CreatedRun> {
    const reply = await this.create({ ...emptyRun, ...body })
    expect(reply.status, reply.text).toBe(201)
    return reply.json<CreatedRun>()
  }

  /** Creates a run, and waits for an event of it. */
  async newRunUntil(type: EventType, body: object = {}): Promise<string> {
    const { id } = await this.newRun(body)
    const stream = await this.stream(`/v1/runs/${id}/events/stream`)
    await stream.until(({ text }) => text.includes(`"type":"${type}"`), 30_000)
    stream.close()
    return id
  }

  async run(id: string): Promise<Run> {
    return (await this.get(`/v1/runs/${id}`)).json<Run>()
  }

  async events(id: string): Promise<Event[]> {
    return (await this.get(`/v1/runs/${id}/events?limit=200`)).json<EventPage>().events
  }

  async stream(path: string, headers: OutgoingHttpHeaders = {}): Promise<SseStream> {
    const outgoing = this.#open({ method: 'GET', path, headers }, undefined)
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).once('error', reject)
    })
    outgoing.end()
    return new SseStream(await answered)
  }

  #open({ method, path, headers }: Required<Omit<Ask, 'body'>>, body: unknown) {
    const { hostname, port } = new URL(this.url)
    const authorization = this.key === null ? {} : { authorization: bearer(this.key) }
    const length = body === undefined ? {} : { 'content-length': bytesOf(body).length }
    const merged = { ...authorization, ...length, ...headers }
    const wanted = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined))
    return request({ hostname, port, method, path, agent: false, headers: wanted })
  }
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

async function exchange(outgoing: ReturnType<typeof request>, body: unknown): Promise<Reply> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
  })
  outgoing.end(body === undefined ? undefined : bytesOf(body))
  const incoming = await answered
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: () => JSON.parse(text) }
}

interface SseMessage {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
  /** The block as it came, without the blank line that ends it. */
  readonly raw: string
}

/** An open stream of events, or the refusal that came instead of one. */
export class SseStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly closed: Promise<void>
  text = ''
  readonly #incoming: IncomingMessage
  readonly #watchers = new Set<() => void>()

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
    this.status = incoming.statusCode ?? 0
    this.headers = incoming.headers
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk: string) => {
      this.text += chunk
      for (const look of this.#watchers) look()
    })
    this.closed = new Promise((resolve) => incoming.once('close', resolve).once('error', () => undefined))
  }

  get messages(): SseMessage[] {
    return this.text.split('\n\n').slice(0, -1).map(parseBlock)
  }

  get events(): Event[] {
    return this.messages.flatMap(({ event, data }) => (event === 'run_event' ? [JSON.parse(data ?? '') as Event] : []))
  }

  get comments(): string[] {
    return this.text.split('\n').filter((line) => line.startsWith(':'))
  }

  /** Resolves as soon as it holds; rejects with what has come when the stream ends first, or the time is up. */
  until(holds: (stream: SseStream) => boolean, withinMs = 5_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!holds(this)) return
        this.#watchers.delete(look)
        clearTimeout(timer)
        resolve()
      }
      const giveUp = (why: string) => {
        this.#watchers.delete(look)
        clearTimeout(timer)
        reject(new Error(`${why}; so far:\n${this.text}`))
      }
      const timer = setTimeout(() => giveUp(`not within ${withinMs} ms`), withinMs)
      this.#watchers.add(look)
      look()
      void this.closed.then(() => giveUp('the stream has ended'))
    })
  }

  close(): void {
    this.#incoming.destroy()
  }
}

function parseBlock(raw: string): SseMessage {
  const fields = raw.split('\n').filter((line) => !line.startsWith(':'))
  const pairs = fields.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
  return { ...Object.fromEntries(pairs), raw }
}

/** Sends bytes as they are and gives back all that came until the other side closed, or until the time was up. */
export function rawExchange(url: string, bytes: string | Buffer, withinMs = 3_000): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const timer = setTimeout(() => socket.destroy(), withinMs)
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
  })
}

/** The answer in what a raw exchange gave back. */
export function parseRaw(received: string): Reply {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const pairs = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
  const text = Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString('utf8')
  return {
    status: Number(statusLine.split(' ')[1] ?? 0),
    headers: Object.fromEntries(pairs),
    text,
    json: () => JSON.parse(text),
  }
}

export const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
export const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/
export const wireIdPattern = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

/** Written down here once more, so that the contract can be wrong about it and be found out. */
const errorClasses: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
}

/**
 * The whole envelope: exactly its fields, the class of the status, the request id of the header, and nothing from
 * inside.
 */
export function expectRefusal(reply: Pick<Reply, 'status' | 'headers' | 'text'>, status: number, reason: string): void {
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status, text: expect.stringContaining('{') })
  const body = JSON.parse(reply.text) as ErrorBody
  expect(body).toEqual({
    error: errorClasses[status],
    reason_code: reason,
    message: expect.stringMatching(/\S/),
    request_id: expect.stringMatching(requestIdPattern),
  })
  expect(reply.headers['x-request-id']).toBe(body.request_id)
  expect(reply.headers['content-type']).toMatch(/^application\/json\b/)
  expect(body.message).not.toMatch(/node_modules|\n\s+at |\b(select|insert into|update) .* (from|values|set)\b|\.ts:\d/)
  if (status === 429 || status === 503) expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/)
}

/** A run as the specification's table has it: these fields and no other. */
export const aRun = (changes: object = {}) => ({
  id: expect.stringMatching(wireIdPattern('run')),
  workspace_id: null,
  subject_id: null,
  status: 'queued',
  run_class: 'default',
  metadata: {
    created_at: expect.stringMatching(instantPattern),
    updated_at: expect.stringMatching(instantPattern),
  },
  event_payload: { redacted: true, value: null },
  request_id: expect.stringMatching(requestIdPattern),
  ...changes,
})

export const anEvent = (seq: number, type: string, value: object, redacted = false) => ({
  seq,
  type,
  timestamp: expect.stringMatching(instantPattern),
  payload: { redacted, value },
})
