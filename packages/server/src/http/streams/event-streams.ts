// Opens streams of the events of runs.
import type { ServerResponse } from 'node:http'
import { routes } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../domain/principal.ts'
import { type RunState, terminalStates } from '../../domain/run/states.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { EventFeed, Follower } from '../../events/event-feed.ts'
import { runNotFound } from '../../runs/run-not-found.ts'
import type { Database } from '../../store/postgres/database.ts'
import { findHeadAndEvents } from '../../store/runs/events.ts'
import { runIdOf } from '../routes/runs.ts'
import type { Gate } from '../server/admission/admission.ts'
import { checkBeforeBody, identify, idOf, mountRoute } from '../server/mount-routes.ts'
import { parseQuery, queryTextOf } from '../server/request/query.ts'
import { securityHeaders } from '../server/response/security-headers.ts'
import { EventStream } from './event-stream.ts'
import type { OpenStreams } from './open-streams.ts'
import { startStream } from './sse-response.ts'

interface EventStreamsOptions {
  readonly database: Database
  readonly feed: EventFeed
  readonly open: OpenStreams
  readonly onDelivered?: ((lagMs: number) => void) | undefined
}

/** No more than a stream takes at once. */
const firstRead = { limit: 200, maxBytes: 64 * 1024 }

export class EventStreams {
  readonly #options: EventStreamsOptions

  constructor(options: EventStreamsOptions) {
    this.#options = options
  }

  mount(app: FastifyInstance, gate: Gate): void {
    mountRoute(app, 'streamEvents', async (request, reply) => {
      const principal = await identify(request, gate)
      this.#options.open.refuseOverLimit(principal)
      checkBeforeBody(request, principal, 'streamEvents')
      await this.#serve(request, reply, principal, gate)
    })
  }

  async #serve(request: FastifyRequest, reply: FastifyReply, principal: Principal, gate: Gate): Promise<void> {
    const { customerId } = principal
    const { after, lastEventId } = positionOf(request)
    const walled = gate.walls.check('streamEvents', principal, idOf(request))
    if (walled) await walled
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
      this.#options.open.refuseOverLimit(principal)
      reply.hijack()
      // The client left during the read: the response does not emit `close` again.
      if (reply.raw.closed) {
        follower.stop()
        return
      }
      const response = startStream(request, reply)
      const runEnded = hasReceivedAll(opening, after)
      const { onDelivered } = this.#options
      stream = new EventStream(response, { principal, requestId: request.id, runEnded, onDelivered })
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
    this.#options.open.add(stream, response)
    response.once('close', () => follower.stop())
  }
}

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
