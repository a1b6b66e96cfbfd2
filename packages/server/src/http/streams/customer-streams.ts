// Opens streams of the events of all runs of a customer.
import { routes } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { CustomerChanges } from '../../events/customer-changes.ts'
import { Counts } from '../../runtime/counts.ts'
import type { Database } from '../../store/postgres/database.ts'
import { type CustomerPosition, findCustomerEvents, findHorizon, positionAt } from '../../store/runs/customer-events.ts'
import type { Gate } from '../server/admission/admission.ts'
import { checkBeforeBody, identify, mountRoute } from '../server/mount-routes.ts'
import { parseQuery, queryTextOf } from '../server/request/query.ts'
import { positionOf } from './customer-cursor.ts'
import { type CustomerRead, CustomerStream } from './customer-stream.ts'
import { CustomerTurns } from './customer-turns.ts'
import type { OpenStreams } from './open-streams.ts'
import { startStream } from './sse-response.ts'

interface CustomerStreamsOptions {
  readonly database: Database
  readonly changes: Pick<CustomerChanges, 'watch'>
  readonly open: OpenStreams
}

const tickMs = 50
/** Each reads all events of the customer, so a few are enough. */
export const maxPerCustomer = 10
const onePage = { limit: 200, maxBytes: 256 * 1024 }

export class CustomerStreams {
  readonly #options: CustomerStreamsOptions
  readonly #streams = new Set<CustomerStream>()
  readonly #perCustomer = new Counts()
  readonly #turns = new CustomerTurns()
  #timer: NodeJS.Timeout | undefined

  constructor(options: CustomerStreamsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => this.tick(), tickMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  tick(): void {
    for (const stream of this.#streams) void stream.readIfDue()
  }

  mount(app: FastifyInstance, gate: Gate): void {
    mountRoute(app, 'streamCustomerEvents', async (request, reply) => {
      const principal = await identify(request, gate)
      this.#refuseOverLimit(principal)
      checkBeforeBody(request, principal, 'streamCustomerEvents')
      await this.#serve(request, reply, principal)
    })
  }

  async #serve(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void> {
    const cursor = cursorIn(request)
    const position = cursor === undefined ? positionAt(await this.#horizon(principal)) : positionOf(cursor)
    // Again, after the last await: requests that came meanwhile have passed the first check too.
    this.#refuseOverLimit(principal)
    reply.hijack()
    // The client left in between: the response does not emit `close` again.
    if (reply.raw.closed) return
    const response = startStream(request, reply)
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    const read = (after: CustomerPosition) => this.#read(principal, after)
    const stream = new CustomerStream(response, { principal, requestId: request.id, position, read })
    this.#options.open.add(stream, response)
    response.once('close', this.#follow(stream))
    void stream.readIfDue()
  }

  /** Returns what ends it. */
  #follow(stream: CustomerStream): () => void {
    const { customerId } = stream
    const unwatch = this.#options.changes.watch(customerId, () => stream.noteChange())
    this.#streams.add(stream)
    this.#perCustomer.change(customerId, 1)
    return () => {
      stream.end()
      unwatch()
      this.#streams.delete(stream)
      this.#perCustomer.change(customerId, -1)
    }
  }

  #horizon({ customerId }: Principal) {
    return this.#turns.inTurn(customerId, () => findHorizon(this.#options.database))
  }

  #read({ customerId }: Principal, after: CustomerPosition): Promise<CustomerRead> {
    const { database } = this.#options
    return this.#turns.inTurn(customerId, async () => {
      const before = await findHorizon(database)
      const events = await findCustomerEvents(database, customerId, { after, before, ...onePage })
      return { events, horizon: before }
    })
  }

  #refuseOverLimit(principal: Principal): void {
    this.#options.open.refuseOverLimit(principal)
    if (this.#perCustomer.of(principal.customerId) < maxPerCustomer) return
    throw new ServiceError(
      'STREAM_LIMIT_REACHED',
      `The customer already has ${maxPerCustomer} open streams of all events. Close one.`,
      5,
    )
  }
}

/** A browser sends the id of the last message when it connects again. */
function cursorIn(request: FastifyRequest): string | undefined {
  const { cursor } = parseQuery(
    routes.streamCustomerEvents.query,
    queryTextOf(request.raw.url ?? ''),
    'EVENTS_QUERY_PARAMS_INVALID',
  )
  const lastEventId = request.headers['last-event-id']
  return typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : cursor
}
