// Puts handlers on the wire as the contract's table says: path, scope, idempotency key, query, body, answer.
import { type Route, type RouteName, routes } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../domain/principal.ts'
import { ServiceError } from '../domain/service-error.ts'
import { requireScope } from './gate.ts'
import type { Answer, Call, HandledRoute, Handlers } from './handler.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { parseQuery, queryTextOf } from './query.ts'
import { readBody } from './read-body.ts'
import { bodyReasonsOf, queryReasonOf } from './route-reasons.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: RouteName
  }
  interface FastifyRequest {
    principal: Principal | undefined
  }
}

const noQuery = z.strictObject({})

export function mountRoutes(app: FastifyInstance, handlers: Handlers): void {
  for (const name of Object.keys(handlers) as HandledRoute[]) mountRoute(app, name, handlers)
}

function mountRoute(app: FastifyInstance, name: HandledRoute, handlers: Handlers): void {
  const route: Route = routes[name]
  // The table's types and the loop's meet here: `name` picks both the handler and the shape of its call.
  const handler = handlers[name] as (call: Call<HandledRoute>) => Promise<Answer>
  app.route({
    method: route.method,
    url: fastifyPath(route.path),
    config: { route: name },
    onRequest: (request, _reply, done) => {
      checkBeforeBody(request, route)
      done()
    },
    handler: async (request, reply) => sendAnswer(reply, await handler(await readCall(request, name))),
  })
}

export const fastifyPath = (path: string): string => path.replace('{id}', ':id')

/** What can be said without reading the body is said first. */
export function checkBeforeBody(request: FastifyRequest, route: Route): void {
  if (route.scope) requireScope(principalOf(request), route.scope)
  if (route.idempotencyKey === 'required' && readIdempotencyKey(request.raw).is !== 'key') {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REQUIRED',
      'Send the header idempotency-key with 1 to 255 printable ASCII characters.',
    )
  }
}

async function readCall(request: FastifyRequest, name: HandledRoute): Promise<Call<HandledRoute>> {
  const route: Route = routes[name]
  const query =
    route.method === 'GET'
      ? parseQuery(route.query ?? noQuery, queryTextOf(request.raw.url ?? ''), queryReasonOf(name))
      : undefined
  return {
    requestId: request.id,
    principal: principalOf(request),
    id: idOf(request),
    query: query as Call<HandledRoute>['query'],
    body: route.body ? await readBody(request.raw, bodyReasonsOf(name)) : undefined,
    request: request.raw,
  }
}

export const idOf = (request: FastifyRequest): string => (request.params as { id?: string }).id ?? ''

export function principalOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw new Error('a protected route was reached without a principal')
  return principal
}

function sendAnswer(reply: FastifyReply, { status = 200, body, headers = {} }: Answer): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .headers(headers)
    .send(typeof body === 'string' ? body : JSON.stringify(body))
}
