// All open SSE streams: opens them, checks them with one timer, and ends them when their key or the service ends.
import type { ServerResponse } from 'node:http'
import { type ReasonCode, routes } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../domain/principal.ts'
import { type RunState, terminalStates } from '../../domain/run/states.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { EventFeed, Follower } from '../../events/event-feed.ts'
import { runNotFound } from '../../lifecycle/run-not-found.ts'
import { Counts } from '../../runtime/counts.ts'
import type { Database } from '../../store/postgres/database.ts'
import { findHeadAndEvents } from '../../store/runs/events.ts'
import { runIdOf } from '../routes/runs.ts'
import type { Gate } from '../server/gate.ts'
import { checkBeforeBody, identify, idOf, mountRoute } from '../server/mount-routes.ts'
import { parseQuery, queryTextOf } from '../server/query.ts'
import { securityHeaders } from '../server/security-headers.ts'
import { EventStream, type StreamTimes } from './event-stream.ts'

interface EventStreamsOptions {
  readonly database: Database
  readonly feed: EventFeed
  readonly times: StreamTimes
  readonly maxPerKey: number
  readonly maxPerCustomer: number
  /** Returns, for each key, `ok` or the reason why its streams must end. */
  readonly recheckKeys: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, 'ok' | ReasonCode>>
  /** Returns those of the sessions of the console that are still open. */
  readonly recheckSessions: (sessionIds: readonly string[]) => Promise<ReadonlySet<string>>
}

const tickMs = 100
/** No more than a stream takes at once. */
const firstRead = { limit: 200, maxBytes: 64 * 1024 }
const recheckMs = 10_000

export class EventStreams {
  readonly #options: EventStreamsOptions
  readonly #open = new Set<EventStream>()
  readonly #perKey = new Counts()
  readonly #perCustomer = new Counts()
  #timers: NodeJS.Timeout[] = []

  constructor(options: EventStreamsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.tick(), tickMs),
      // A failed read says nothing about the keys: the next check tries again.
      setInterval(() => void this.recheckKeys().catch(() => undefined), recheckMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  stop(reason: ServiceError): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const stream of this.#open) stream.fail(reason)
  }

  mount(app: FastifyInstance, gate: Gate): void {
    mountRoute(app, 'streamEvents', async (request, reply) => {
      const principal = await identify(request, gate)
      this.#refuseOverLimit(principal)
      checkBeforeBody(request, principal, routes.streamEvents)
      await this.#serve(request, reply, principal)
    })
  }

  tick(now: number = performance.now()): void {
    for (const stream of this.#open) stream.tick(this.#options.times, now)
  }

  /** Ends the streams of keys that have been revoked or have expired, and of sessions that have ended. */
  async recheckKeys(): Promise<{ ended: number }> {
    if (this.#open.size === 0) return { ended: 0 }
    const checked = [...this.#open]
    const sessionIds = new Set(checked.flatMap(({ sessionId }) => sessionId ?? []))
    const [keys, sessions] = await Promise.all([
      this.#options.recheckKeys(this.#perKey.ids),
      this.#options.recheckSessions([...sessionIds]),
    ])
    let ended = 0
    for (const stream of checked.filter((one) => this.#open.has(one))) {
      const failure = failureOf(stream, { keys, sessions })
      if (!failure) continue
      stream.fail(failure)
      ended += 1
    }
    return { ended }
  }

  async #serve(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void> {
    const { customerId } = principal
    const { after, lastEventId } = positionOf(request)
    const runId = runIdOf(idOf(request))
    if (request.method === 'HEAD') return this.#answerHead(request, reply, { customerId, id: runId, lastEventId })
    let stream: EventStream | undefined
    let failure: unknown
    const follower = this.#options.feed.followAfterRead({
      customerId,
      runId,
      after,
      deliver: (events) => stream?.deliver(events) ?? 0,
      fail: (error) => {
        failure = error
        stream?.fail(error)
      },
    })
    try {
      const opening = await this.#read({ customerId, id: runId }, after)
      if (hasReceivedAll(opening, lastEventId)) {
        follower.stop()
        return answerNothingLeft(request, reply)
      }
      // Again, after the last await: requests that came meanwhile have passed the first check too.
      this.#refuseOverLimit(principal)
      reply.hijack()
      const response = startStream(request, reply)
      const runEnded = hasReceivedAll(opening, after)
      stream = new EventStream(response, { principal, requestId: request.id, runEnded })
      this.#track(stream, follower, response)
      follower.endRead(opening.events, (opening.events.at(-1)?.seq ?? after) >= opening.lastSeq)
      // The feed failed during the read, so no more events would arrive.
      if (failure !== undefined) stream.fail(failure)
    } catch (error) {
      follower.stop()
      throw error
    }
  }

  /** Reads the state of the run and its first events in one statement. */
  async #read(run: { customerId: string; id: string }, after: number) {
    const opening = await findHeadAndEvents(this.#options.database, run, { after, ...firstRead })
    if (!opening) throw runNotFound()
    return opening
  }

  async #answerHead(
    request: FastifyRequest,
    reply: FastifyReply,
    { lastEventId, ...run }: { customerId: string; id: string; lastEventId: number | undefined },
  ): Promise<void> {
    const opening = await this.#read(run, Number.MAX_SAFE_INTEGER)
    if (hasReceivedAll(opening, lastEventId)) return answerNothingLeft(request, reply)
    reply.hijack()
    startStream(request, reply).end()
  }

  #track(stream: EventStream, follower: Follower, response: ServerResponse): void {
    stream.follower = follower
    this.#add(stream)
    response.once('close', () => {
      follower.stop()
      this.#remove(stream)
    })
  }

  #refuseOverLimit({ keyId, customerId }: Principal): void {
    const { maxPerKey, maxPerCustomer } = this.#options
    if (this.#perKey.of(keyId) >= maxPerKey) throw limitReached('API key', maxPerKey)
    if (this.#perCustomer.of(customerId) >= maxPerCustomer) throw limitReached('customer', maxPerCustomer)
  }

  #add(stream: EventStream): void {
    this.#open.add(stream)
    this.#perKey.change(stream.keyId, 1)
    this.#perCustomer.change(stream.customerId, 1)
  }

  #remove(stream: EventStream): void {
    this.#open.delete(stream)
    this.#perKey.change(stream.keyId, -1)
    this.#perCustomer.change(stream.customerId, -1)
  }
}

interface Verdicts {
  readonly keys: ReadonlyMap<string, 'ok' | ReasonCode>
  readonly sessions: ReadonlySet<string>
}

function failureOf({ keyId, sessionId }: EventStream, { keys, sessions }: Verdicts): ServiceError | undefined {
  const verdict = keys.get(keyId) ?? 'API_KEY_INVALID'
  if (verdict !== 'ok') return new ServiceError(verdict, 'The API key of this stream is no longer valid.')
  if (sessionId === undefined || sessions.has(sessionId)) return undefined
  return new ServiceError('SESSION_ENDED', 'The session of this stream has ended. Sign in again.')
}

const limitReached = (owner: string, limit: number) =>
  new ServiceError(
    'STREAM_LIMIT_REACHED',
    `The ${owner} already has ${limit} open event streams. Close one or poll instead.`,
    5,
  )

interface Head {
  readonly state: string
  readonly lastSeq: number
}

const hasReceivedAll = ({ state, lastSeq }: Head, seq: number | undefined): boolean =>
  seq !== undefined && terminalStates.includes(state as RunState) && seq >= lastSeq

/** A browser's EventSource reconnects after a 200, and stops after a 204. */
function answerNothingLeft(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(204, { ...securityHeaders, 'x-request-id': request.id }).end()
}

interface Position {
  /** The larger of `cursor` and `Last-Event-ID`. */
  readonly after: number
  readonly lastEventId: number | undefined
}

function positionOf(request: FastifyRequest): Position {
  const { cursor = 0 } = parseQuery(
    routes.streamEvents.query,
    queryTextOf(request.raw.url ?? ''),
    'EVENTS_QUERY_PARAMS_INVALID',
  )
  const lastEventId = request.headers['last-event-id']
  if (lastEventId === undefined) return { after: cursor, lastEventId }
  if (
    typeof lastEventId !== 'string' ||
    !/^\d{1,16}$/.test(lastEventId) ||
    !Number.isSafeInteger(Number(lastEventId))
  ) {
    throw new ServiceError('EVENTS_QUERY_PARAMS_INVALID', 'The Last-Event-ID header must be the seq of an event.')
  }
  return { after: Math.max(cursor, Number(lastEventId)), lastEventId: Number(lastEventId) }
}

function startStream(request: FastifyRequest, reply: FastifyReply): ServerResponse {
  reply.raw.writeHead(200, {
    ...securityHeaders,
    'x-request-id': request.id,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  return reply.raw
}
