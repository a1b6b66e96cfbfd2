// Connects handlers to Fastify as the route table says: key, scope, idempotency key, query, body, response.
//
// A request is served in Fastify's first hook after routing. The later phases (body parser, validation, serialization)
// are not needed, and they would take as long as everything in this file.
import { type Deprecation, type Route, type RouteName, routes } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Logger } from '../../runtime/logger.ts'
import { type Gate, requireScope } from './admission/admission.ts'
import { boundQuery, refuseBeyondLimits } from './admission/limit-rules.ts'
import { isExpensive, ReadSlots } from './admission/read-slots.ts'
import { readIdempotencyKey } from './request/idempotency-key.ts'
import { parseQuery, queryTextOf } from './request/query.ts'
import { readBody } from './request/read-body.ts'
import { bodyReasonsOf, queryReasonOf } from './request/route-reasons.ts'
import type { Answer, Call, HandledRoute, Handlers } from './response/handler.ts'
import { sendAnswer } from './response/send-answer.ts'
import { UnreadAnswers } from './response/unread-answers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: RouteName
  }
  interface FastifyRequest {
    principal: Principal | undefined
  }
}

const noQuery = z.strictObject({})

interface MountOptions {
  readonly gate: Gate
  readonly logger: Pick<Logger, 'error'>
}

export function mountRoutes(app: FastifyInstance, { gate, logger }: MountOptions, handlers: Handlers): void {
  const slots = new ReadSlots()
  const unread = new UnreadAnswers()
  for (const name of Object.keys(handlers) as HandledRoute[]) {
    const route: Route = routes[name]
    const readQuery = queryReader(name)
    const bodyReasons = bodyReasonsOf(name)
    // TypeScript cannot see that `name` selects both the handler and the type of its call.
    const handler = handlers[name] as (call: Call<HandledRoute>) => Promise<Answer>
    mountRoute(app, name, async (request, reply) => {
      const identified = identify(request, gate)
      const principal = identified instanceof Promise ? await identified : identified
      unread.refuseBeyondLimit(principal.customerId)
      checkBeforeBody(request, principal, name)
      const query = boundQuery(name, principal, readQuery(request)) as Call<HandledRoute>['query']
      const walled = gate.walls.check(name, principal, idOf(request))
      if (walled) await walled
      if (isExpensive(name, query) && !(await takeSlot(slots, principal, reply))) return
      const body = route.body ? await readBody(request.raw, bodyReasons) : undefined
      const idempotencyKey = optionalKeyOf(request, route)
      const { id: requestId, raw } = request
      const call = { requestId, principal, id: idOf(request), idempotencyKey, query, body, request: raw }
      const sent = sendAnswer({ request, reply, unread }, await handler(call))
      if (sent) await sent.catch((error: unknown) => reportIncomplete(error, request, reply, logger))
    })
  }
}

/** Until the response is closed, so that answers that the client reads slowly count. False: the client has left. */
async function takeSlot(slots: ReadSlots, { customerId }: Principal, { raw }: FastifyReply): Promise<boolean> {
  const giveBack = await slots.take(customerId)
  raw.once('close', giveBack)
  if (raw.closed) giveBack()
  return !raw.closed
}

/** The status is sent already, so the log is the only place for an error. A client that disconnects is not one. */
function reportIncomplete(
  error: unknown,
  request: FastifyRequest,
  { raw }: FastifyReply,
  logger: MountOptions['logger'],
) {
  if (!raw.headersSent) throw error
  const isDisconnect = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
  if (!isDisconnect) logger.error({ err: error, request_id: request.id }, 'a response was not completed')
}

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export function mountRoute(app: FastifyInstance, name: RouteName, serve: Serve): void {
  const { method, path, deprecated }: Route = routes[name]
  const headers = deprecated && deprecationHeaders(deprecated)
  app.route({
    method,
    url: path.replace('{id}', ':id'),
    config: { route: name },
    onRequest: (request, reply, done) => {
      if (headers) reply.raw.setHeaders(headers)
      void serve(request, reply).catch(done)
    },
    handler: () => {
      throw new Error('the onRequest hook did not serve this request')
    },
  })
}

const deprecationLink = '</docs/compatibility.html>; rel="deprecation"; type="text/html"'

/**
 * Since when a route is deprecated (RFC 9745), and when it may be gone (RFC 8594). On every response, also on errors
 * and streams.
 */
const deprecationHeaders = ({ since, sunset }: Deprecation): Map<string, string> =>
  new Map([
    ['deprecation', `@${Date.parse(since) / 1000}`],
    ...(sunset === undefined ? [] : [['sunset', new Date(sunset).toUTCString()] as const]),
    ['link', deprecationLink],
  ])

/** Synchronous if the key is cached. */
export function identify(request: FastifyRequest, gate: Gate): Principal | Promise<Principal> {
  const keep = (principal: Principal) => {
    request.principal = principal
    return principal
  }
  const { headers, method } = request.raw
  const admitted = gate.admit(headers, method === 'GET' || method === 'HEAD' ? 'read' : 'write')
  return admitted instanceof Promise ? admitted.then(keep) : keep(admitted)
}

/** The checks that do not need the body come first. */
export function checkBeforeBody(request: FastifyRequest, principal: Principal, name: RouteName): void {
  const route: Route = routes[name]
  if (route.scope) requireScope(principal, route.scope)
  refuseBeyondLimits(name, principal)
  if (route.idOf && idOf(request) === '') throw idMissing()
  if (route.idempotencyKey === 'required' && readIdempotencyKey(request.raw).kind !== 'key') {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REQUIRED',
      'The idempotency-key header is required: send it once, with 1 to 255 printable ASCII characters.',
    )
  }
  if (route.idempotencyKey === 'optional' && readIdempotencyKey(request.raw).kind === 'malformed') {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_INVALID',
      'The idempotency-key header is malformed: send it once, with 1 to 255 printable ASCII characters, or omit it.',
    )
  }
}

/** Not the list: a program whose id is empty would take it for the thing itself. */
const idMissing = () =>
  new ServiceError('ROUTE_NOT_FOUND', 'The id in the path is empty. For the list, omit the slash at the end.')

function optionalKeyOf({ raw }: FastifyRequest, route: Route): string | undefined {
  const header = route.idempotencyKey === 'optional' ? readIdempotencyKey(raw) : undefined
  return header?.kind === 'key' ? header.key : undefined
}

/** Only GET routes have query parameters. */
function queryReader(name: HandledRoute): (request: FastifyRequest) => Record<string, unknown> | undefined {
  const { method, query = noQuery }: Route = routes[name]
  const reason = queryReasonOf(name)
  if (method !== 'GET') return () => undefined
  return ({ raw }) => parseQuery(query, queryTextOf(raw.url ?? ''), reason)
}

export const idOf = (request: FastifyRequest): string => (request.params as { id?: string }).id ?? ''
