// CORS: lets pages of the origins that the operator lists call the API from a browser, with an API key in a header.
// Credentials are not allowed: the only cookie is that of the console, which has the same origin.
import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type Route, routes } from '@runwright/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const methods = ['HEAD', ...new Set((Object.values(routes) as Route[]).map(({ method }) => method))]

const preflightHeaders = {
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers':
    'Authorization, Content-Encoding, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id',
  'access-control-max-age': '600',
}

const exposedHeaders = 'X-Request-Id, Retry-After, Location, Deprecation, Sunset, Link'

/** Must come before all other hooks, so that their errors can be read by pages, too. */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    const isListed = origin !== undefined && origins.includes(origin)
    addVaryOrigin(reply.raw)
    if (isListed) {
      reply.raw.setHeader('access-control-allow-origin', origin)
      reply.raw.setHeader('access-control-expose-headers', exposedHeaders)
    }
    if (isListed && isPreflight(request)) void reply.code(204).headers(preflightHeaders).send()
    else done()
  })
}

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined

/**
 * A cache must not give the response for one origin to another. Handlers, pages and streams write their own `Vary`,
 * which would replace one that was set before, so this adds to it when the headers are written.
 */
function addVaryOrigin(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers?: Headers) => ServerResponse
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    const headers = rest.find((part) => typeof part === 'object') as Headers
    return writeHead(status, withVary(headers))
  }) as ServerResponse['writeHead']
}

function withVary(headers: Headers = {}): OutgoingHttpHeaders | OutgoingHttpHeader[] {
  if (Array.isArray(headers)) {
    const at = headers.findIndex((name, index) => index % 2 === 0 && String(name).toLowerCase() === 'vary')
    return at < 0 ? [...headers, 'vary', 'origin'] : headers.with(at + 1, `${headers[at + 1]}, origin`)
  }
  return { ...headers, vary: headers.vary === undefined ? 'origin' : `${headers.vary}, origin` }
}
