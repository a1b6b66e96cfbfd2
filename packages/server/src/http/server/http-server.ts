// The Fastify server. Every error, even for a malformed request, is returned in the error envelope.
import type { Socket } from 'node:net'
import type { RouteName } from '@runwright/contract'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { ServiceError } from '../../domain/service-error.ts'
import { isForPeople, type Logger } from '../../runtime/logger.ts'
import { parseTraceparent } from '../../runtime/traceparent.ts'
import type { Gate } from './admission/admission.ts'
import { addCors } from './admission/cors.ts'
import type { EventLoopLag } from './admission/event-loop-lag.ts'
import type { ConnectionLimits } from './connections/connection-limits.ts'
import { discardRest } from './connections/discard-rest.ts'
import { trackUnusedConnections } from './connections/unused-connections.ts'
import { identify } from './mount-routes.ts'
import { answerMalformedRequest, findMalformation, maxHeaderBytes } from './request/malformed-request.ts'
import { requestIdOf } from './request/request-id.ts'
import { databaseLostReasonOf } from './request/route-reasons.ts'
import { errorAnswer, isDefect } from './response/error-answer.ts'
import { securityHeaders } from './response/security-headers.ts'

interface HttpServerOptions {
  readonly gate: Gate
  readonly lag: EventLoopLag
  readonly logger: Logger
  readonly connections: ConnectionLimits
  readonly timeouts: RequestTimeouts
  /** The origins whose pages may call the API. */
  readonly corsOrigins?: readonly string[]
  /** Whether requests are logged with the trace that they belong to. */
  readonly isTraced?: boolean
  /** Is told about each response when it has been sent. */
  readonly onAnswered?: ((answered: Answered) => void) | undefined
}

export interface Answered {
  readonly method: string
  /** The path of the route, with names for its parameters. Undefined if there is no such route. */
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
  readonly isStream: boolean
}

export interface RequestTimeouts {
  /** For the headers of a request. */
  readonly headersMs: number
  /** For the whole request, including its body. */
  readonly requestMs: number
}

/** Longer than that of common proxies, so that they close unused connections first. */
export const keepAliveMs = 72_000

/** How often Node looks for requests that take too long. */
export const checkingIntervalMs = ({ headersMs }: RequestTimeouts): number => Math.min(2_000, headersMs / 2)

/** A process that stood still finds the time of its clients used up, before it has read what they sent. */
export const clientErrorHandler =
  (lag: EventLoopLag, { requestMs }: RequestTimeouts) =>
  (error: NodeJS.ErrnoException, socket: Socket): void =>
    answerMalformedRequest(error, socket, { isOurDelay: lag.wasTooFarBehindWithin(requestMs) })

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { gate, lag, logger, connections, timeouts, corsOrigins = [], isTraced = false, onAnswered } = options
  const app = fastify({
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: checkingIntervalMs(timeouts),
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: maxHeaderBytes, ignoreTrailingSlash: false },
    rewriteUrl: ({ url }) => routableUrl(url ?? '/'),
    clientErrorHandler: clientErrorHandler(lag, timeouts),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  connections.attach(app.server)
  const closeUnusedConnections = trackUnusedConnections(app.server)
  app.addHook('preClose', async () => closeUnusedConnections())
  app.decorateRequest('principal', undefined)
  addCors(app, corsOrigins)
  // Before Fastify reads the body: an unread body cannot cause an error.
  app.addHook('onRequest', (request, _reply, done) => {
    const refusal = connections.findRefusal(request.raw) ?? findMalformation(request.raw)
    if (refusal) done(refusal)
    else if (request.is404) void refuseUnknown(request, gate).catch(done)
    else done()
  })
  // Responses that bypass this hook set the same headers: see mount-routes.ts and event-streams.ts.
  app.addHook('onSend', (request, reply, _payload, done) => {
    for (const [name, value] of Object.entries(securityHeaders)) if (!reply.hasHeader(name)) reply.header(name, value)
    reply.header('x-request-id', request.id)
    done()
  })
  const logs = logger.isLevelEnabled(requestLevel())
  if (logs || onAnswered) {
    app.addHook('onResponse', (request, reply, done) => {
      if (logs) logRequest({ logger, isTraced }, request, reply)
      onAnswered?.(answered(request, reply))
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
  const text = JSON.stringify(answer.body)
  const headers = { ...answer.headers, 'content-type': 'application/json; charset=utf-8' }
  if (request.raw.complete) void reply.code(answer.status).headers(headers).send(text)
  else answerWhileReceiving({ request, reply }, { status: answer.status, headers, text })
}

interface ErrorText {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends the response at once, and closes the connection when the client has finished sending. */
function answerWhileReceiving(
  { request, reply }: Pick<Failure, 'request' | 'reply'>,
  { status, headers, text }: ErrorText,
): void {
  reply.hijack()
  reply.raw.writeHead(status, {
    ...securityHeaders,
    ...headers,
    'x-request-id': request.id,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  })
  reply.raw.write(text)
  void discardRest(request.raw).then(() => reply.raw.end())
}

const answered = (request: FastifyRequest, reply: FastifyReply): Answered => ({
  method: request.method,
  route: request.is404 ? undefined : request.routeOptions.url,
  status: reply.raw.statusCode,
  ms: reply.elapsedTime,
  isStream: request.routeOptions.config.route?.startsWith('stream') ?? false,
})

type RequestLog = Pick<HttpServerOptions, 'logger' | 'isTraced'>

/** On a terminal, a line for each request would hide what matters. */
const requestLevel = (): 'debug' | 'info' => (isForPeople() ? 'debug' : 'info')

function logRequest({ logger, isTraced }: RequestLog, request: FastifyRequest, reply: FastifyReply): void {
  const { traceparent } = request.headers
  const trace = isTraced && typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
  logger[requestLevel()](
    {
      request_id: request.id,
      ...(trace && { trace_id: trace.traceId }),
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      customer_id: request.principal?.customerId,
      key: request.principal?.keyId,
    },
    'request',
  )
}
