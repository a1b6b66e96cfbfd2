// Connects handlers to Fastify as the route table says: key, scope, idempotency key, query, body, response.
//
// A request is served in Fastify's first hook after routing. The later phases (body parser, validation, serialization)
// are not needed, and they would take as long as everything in this file.
import { type Route, type RouteName, routes } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { type Gate, requireScope } from './gate.ts'
import type { Answer, Call, HandledRoute, Handlers } from './handler.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { parseQuery, queryTextOf } from './query.ts'
import { readBody } from './read-body.ts'
import { bodyReasonsOf, queryReasonOf } from './route-reasons.ts'
import { securityHeaders } from './security-headers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: RouteName
  }
  interface FastifyRequest {
    principal: Principal | undefined
  }
}

const noQuery = z.strictObject({})

export function mountRoutes(app: FastifyInstance, gate: Gate, handlers: Handlers): void {
  for (const name of Object.keys(handlers) as HandledRoute[]) {
    const route: Route = routes[name]
    const readQuery = queryReader(name)
    const bodyReasons = bodyReasonsOf(name)
    // TypeScript cannot see that `name` selects both the handler and the type of its call.
    const handler = handlers[name] as (call: Call<HandledRoute>) => Promise<Answer>
    mountRoute(app, name, async (request, reply) => {
      const caller = identify(request, gate)
      const principal = caller instanceof Promise ? await caller : caller
      checkBeforeBody(request, principal, route)
      const query = readQuery(request) as Call<HandledRoute>['query']
      const body = route.body ? await readBody(request.raw, bodyReasons) : undefined
      const call = { requestId: request.id, principal, id: idOf(request), query, body, request: request.raw }
      sendAnswer(request, reply, await handler(call))
    })
  }
}

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export function mountRoute(app: FastifyInstance, name: RouteName, serve: Serve): void {
  const { method, path } = routes[name]
  app.route({
    method,
    url: path.replace('{id}', ':id'),
    config: { route: name },
    onRequest: (request, reply, done) => void serve(request, reply).catch(done),
    handler: () => {
      throw new Error('the onRequest hook did not serve this request')
    },
  })
}

/** Synchronous if the key is cached. */
export function identify(request: FastifyRequest, gate: Gate): Principal | Promise<Principal> {
  const keep = (principal: Principal) => {
    request.principal = principal
    return principal
  }
  const admitted = gate.admit(request.raw.headers.authorization)
  return admitted instanceof Promise ? admitted.then(keep) : keep(admitted)
}

/** The checks that do not need the body come first. */
export function checkBeforeBody(request: FastifyRequest, principal: Principal, route: Route): void {
  if (route.scope) requireScope(principal, route.scope)
  if (route.idempotencyKey === 'required' && readIdempotencyKey(request.raw).is !== 'key') {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REQUIRED',
      'The idempotency-key header is required: send it once, with 1 to 255 printable ASCII characters.',
    )
  }
}

/** Only GET routes have query parameters. */
function queryReader(name: HandledRoute): (request: FastifyRequest) => Record<string, unknown> | undefined {
  const { method, query = noQuery }: Route = routes[name]
  const reason = queryReasonOf(name)
  if (method !== 'GET') return () => undefined
  return ({ raw }) => parseQuery(query, queryTextOf(raw.url ?? ''), reason)
}

export const idOf = (request: FastifyRequest): string => (request.params as { id?: string }).id ?? ''

const jsonType = 'application/json; charset=utf-8'
const fixedHeaders = { 'content-type': jsonType, ...securityHeaders }
const fixedHeaderList = Object.entries(fixedHeaders).flat()

/** Writes to Node's response directly. A flat list of names and values is the form that Node copies least. */
function sendAnswer(request: FastifyRequest, reply: FastifyReply, { status = 200, body, headers }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const length = Buffer.byteLength(text)
  reply.hijack()
  if (headers) {
    reply.raw.writeHead(status, { ...fixedHeaders, 'x-request-id': request.id, 'content-length': length, ...headers })
  } else {
    reply.raw.writeHead(status, [...fixedHeaderList, 'x-request-id', request.id, 'content-length', String(length)])
  }
  // One write to the socket: `end(text)` would add a second, empty one.
  reply.raw.write(text)
  reply.raw.socket?.uncork()
  reply.raw.end()
}
