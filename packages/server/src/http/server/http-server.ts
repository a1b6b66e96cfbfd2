// The Fastify server. Every error, even for a malformed request, is returned in the error envelope.
import type { Socket } from 'node:net'
import type { RouteName } from '@runwright/contract'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { ServiceError } from '../../domain/service-error.ts'
import { newWireId } from '../../runtime/ids.ts'
import type { Logger } from '../../runtime/logger.ts'
import { errorAnswer, errorBody, isDefect } from './error-answer.ts'
import type { Gate } from './gate.ts'
import { identify } from './mount-routes.ts'
import { requestIdOf } from './request-id.ts'
import { databaseLostReasonOf } from './route-reasons.ts'
import { securityHeaders } from './security-headers.ts'

interface HttpServerOptions {
  readonly gate: Gate
  readonly logger: Logger
}

const limits = {
  /** For the whole request, including its body. */
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 72_000,
  maxHeaderSize: 16 * 1024,
} as const

export function createHttpServer({ gate, logger }: HttpServerOptions): FastifyInstance {
  const app = fastify({
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    http: {
      maxHeaderSize: limits.maxHeaderSize,
      headersTimeout: limits.headersTimeout,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: limits.maxHeaderSize, ignoreTrailingSlash: false },
    rewriteUrl: ({ url }) => routableUrl(url ?? '/'),
    clientErrorHandler: answerMalformedRequest,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  app.decorateRequest('principal', undefined)
  // Before Fastify reads the body: an unread body cannot cause an error.
  app.addHook('onRequest', (request, _reply, done) => {
    if (isWithoutHost(request)) done(withoutHost())
    else if (request.is404) void refuseUnknown(request, gate).catch(done)
    else done()
  })
  // Responses that bypass this hook set the same headers: see mount-routes.ts and event-streams.ts.
  app.addHook('onSend', (request, reply, _payload, done) => {
    for (const [name, value] of Object.entries(securityHeaders)) if (!reply.hasHeader(name)) reply.header(name, value)
    reply.header('x-request-id', request.id)
    done()
  })
  if (logger.isLevelEnabled('info')) {
    app.addHook('onResponse', (request, reply, done) => {
      logRequest(logger, request, reply)
      done()
    })
  }
  app.setErrorHandler((error, request, reply) => answerError({ error, request, reply, logger }))
  return app
}

/** Below /v1, a caller without a key cannot find out which routes exist. */
async function refuseUnknown(request: FastifyRequest, gate: Gate): Promise<never> {
  if (isBelowV1(request.url)) await identify(request, gate)
  throw new ServiceError('ROUTE_NOT_FOUND', 'No route has this method and path. GET /openapi.json lists all routes.')
}

const isBelowV1 = (url: string): boolean => /^\/v1(?:[/?]|$)/.test(decoded(url) ?? url)

/** Undefined if it cannot be decoded. */
function decoded(url: string): string | undefined {
  if (!url.includes('%')) return url
  try {
    return decodeURIComponent(url.split('?', 1)[0] ?? '')
  } catch {
    return undefined
  }
}

/** Node would reject this itself, without the error envelope. */
const isWithoutHost = ({ raw }: FastifyRequest): boolean => raw.headers.host === undefined && raw.httpVersion === '1.1'

const withoutHost = (): ServiceError =>
  new ServiceError('REQUEST_MALFORMED', 'An HTTP/1.1 request must have a Host header.')

/**
 * Replaces a path that cannot be decoded with one that does not exist, so that it gets a 404, below /v1 after the gate.
 * A request in proxy form has an absolute URL: only its path is used.
 */
function routableUrl(sent: string): string {
  const url = sent.startsWith('/') ? sent : sent.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '') || '/'
  if (decoded(url) !== undefined) return url
  return isBelowV1(url) ? '/v1/%00' : '/%00'
}

interface Failure {
  readonly error: unknown
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly logger: Logger
}

function answerError({ error, request, reply, logger }: Failure): void {
  const route: RouteName | undefined = request.routeOptions.config.route
  if (isDefect(error)) logger.error({ err: error, request_id: request.id, route }, 'request failed')
  const answer = errorAnswer(error, { requestId: request.id, databaseLost: databaseLostReasonOf(route) })
  // Do not wait for the rest of an unread body.
  if (!request.raw.complete) reply.header('connection', 'close')
  void reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.body))
}

function logRequest(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  logger.info(
    {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      customer: request.principal?.customerId,
      key: request.principal?.keyId,
    },
    'request',
  )
}

function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? `The request headers are larger than ${limits.maxHeaderSize} bytes.`
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request took too long to arrive.'
        : 'Malformed HTTP request.'
  const requestId = newWireId('req')
  const body = JSON.stringify(errorBody('REQUEST_MALFORMED', message, requestId))
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}
