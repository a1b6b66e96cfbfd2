// The gate in front of several cells: passes each request below /v1 on to the cell of its key. It authenticates nothing
// itself. A request whose key no cell has goes to a cell, too, which refuses it as it refuses a wrong secret.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { presentedKeyId } from '../../access/presented-key-id.ts'
import type { CellAddress } from '../../cells/cell.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Logger } from '../../runtime/logger.ts'
import { Periodic } from '../../runtime/periodic.ts'
import { shuttingDown } from '../server/admission/admission.ts'
import { EventLoopLag } from '../server/admission/event-loop-lag.ts'
import type { ConnectionLimits } from '../server/connections/connection-limits.ts'
import { checkingIntervalMs, clientErrorHandler, keepAliveMs, type RequestTimeouts } from '../server/http-server.ts'
import { findMalformation, maxHeaderBytes } from '../server/request/malformed-request.ts'
import { requestIdOf } from '../server/request/request-id.ts'
import { errorAnswer } from '../server/response/error-answer.ts'
import { securityHeaders } from '../server/response/security-headers.ts'
import type { CellTimes } from './cell-times.ts'
import { CellSilent, type Forwarding, forwardRequest, hasBody } from './forward-request.ts'
import type { KeyRoute, KeyRoutes } from './key-routes.ts'

type Target = Pick<CellAddress, 'name' | 'url'>

interface CellGateOptions {
  readonly connections: ConnectionLimits
  readonly timeouts: RequestTimeouts
  readonly cells: readonly Target[]
  readonly routes: Pick<KeyRoutes, 'find'>
  readonly times: CellTimes
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

interface Stream {
  readonly keyId: string
  /** The name of the cell that it comes from. */
  readonly cell: string
}

const recheckMs = 1_000

const isBelowV1 = (path: string): boolean => /^\/v1(?:[/?]|$)/.test(path)

export class CellGate {
  readonly server: Server
  readonly #options: CellGateOptions
  readonly #streams = new Map<ServerResponse, Stream>()
  readonly #recheck: Periodic
  readonly #lag = new EventLoopLag()
  #isLeaving = false

  constructor(options: CellGateOptions) {
    this.#options = options
    const { connections, timeouts } = options
    this.server = createServer({
      headersTimeout: timeouts.headersMs,
      // Twice that of a cell: the cell refuses a slow request first, with an error of its own.
      requestTimeout: 2 * timeouts.requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkingIntervalMs(timeouts),
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false,
    })
    connections.attach(this.server)
    this.server.on('request', (request, response) => void this.#serve(request, response))
    this.server.on('clientError', clientErrorHandler(this.#lag, timeouts))
    this.#recheck = new Periodic({
      everyMs: recheckMs,
      runOnce: () => this.recheckStreams(),
      onError: (error) => options.logger.error({ err: error }, 'the cells of open streams could not be checked'),
    })
  }

  start(): void {
    this.#lag.start()
    this.#recheck.start()
  }

  /** Closes the streams of customers that have moved. Their clients connect again, and continue in the new cell. */
  async recheckStreams(): Promise<{ closed: number }> {
    const checked = [...this.#streams].map(async ([response, { keyId, cell }]) => {
      const route = await this.#options.routes.find(keyId)
      const hasMoved = route.kind === 'cell' && route.name !== cell
      if (hasMoved) response.destroy()
      return hasMoved
    })
    return { closed: (await Promise.all(checked)).filter((hasMoved) => hasMoved).length }
  }

  /** Refuses new requests, lets open ones end, and closes streams, whose clients connect again elsewhere. */
  async stop(graceMs = 5_000): Promise<void> {
    this.#isLeaving = true
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeIdleConnections()
    const late = setTimeout(() => this.server.closeAllConnections(), graceMs)
    for (const response of this.#streams.keys()) response.destroy()
    await Promise.all([closed, this.#recheck.stop()])
    clearTimeout(late)
    this.#lag.stop()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = requestIdOf(request.headers['x-request-id'])
    try {
      await this.#pass(request, response, requestId)
    } catch (error) {
      if (!(error instanceof ServiceError))
        this.#options.logger.error({ err: error, request_id: requestId }, 'gate failed')
      if (response.headersSent) response.destroy()
      else answer(response, error, requestId)
    }
  }

  async #pass(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const refusal = this.#options.connections.findRefusal(request)
    if (refusal) throw refusal
    const path = request.url ?? '/'
    if (path === '/health/live' || (path === '/health/ready' && !this.#isLeaving)) return sendOk(response)
    if (this.#isLeaving) throw shuttingDown()
    const malformation = findMalformation(request)
    if (malformation) throw malformation
    if (!isBelowV1(path)) {
      throw new ServiceError(
        'ROUTE_NOT_FOUND',
        'The gate serves paths below /v1. Other pages are at the URL of a cell.',
      )
    }
    const keyId = presentedKeyId(request.headers.authorization ?? '')
    const cells = await this.#cellsFor(keyId)
    for (const cell of cells) {
      const stream = { keyId: keyId ?? '', cell: cell.name }
      if (await this.#tryCell(cell, { request, response, requestId, onStream: () => this.#keep(response, stream) }))
        return
      if (hasBody(request)) break
    }
    throw cellUnavailable()
  }

  /** False if the cell did not answer. */
  async #tryCell(cell: Target, forwarding: Omit<Forwarding, 'url' | 'times'>): Promise<boolean> {
    const { times, logger } = this.#options
    try {
      await forwardRequest({ ...forwarding, url: cell.url, times })
    } catch (error) {
      const { request, response, requestId } = forwarding
      if (!response.headersSent && !response.destroyed) {
        logger.warn({ err: error, cell: cell.name, request_id: requestId }, 'a cell does not answer')
        if (error instanceof CellSilent && !isRead(request)) throw cellSilent()
        return false
      }
    }
    return true
  }

  #keep(response: ServerResponse, stream: Stream): void {
    if (response.destroyed) return
    this.#streams.set(response, stream)
    response.once('close', () => this.#streams.delete(response))
  }

  /** A request without a known key can be answered by any cell. */
  async #cellsFor(keyId: string | undefined): Promise<readonly Target[]> {
    const { cells, routes, logger } = this.#options
    const route: KeyRoute = keyId === undefined ? { kind: 'unknown' } : await routes.find(keyId)
    if (route.kind === 'cell') return cells.filter(({ name }) => name === route.name)
    if (route.kind === 'ambiguous') logger.error({ key: keyId }, 'several cells have this key')
    return route.kind === 'unknown' ? cells : []
  }
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

const cellSilent = () =>
  new ServiceError(
    'CELL_UNAVAILABLE',
    'The cell of this customer does not answer, so the request may have taken effect. Repeat it with the same idempotency key.',
    2,
  )

const cellUnavailable = () =>
  new ServiceError('CELL_UNAVAILABLE', 'The cell of this customer cannot be reached. Try again later.', 2)

function sendOk(response: ServerResponse): void {
  response.writeHead(200, { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' })
  response.end('{"status":"ok"}')
}

function answer(response: ServerResponse, error: unknown, requestId: string): void {
  const { status, headers, body } = errorAnswer(error, { requestId })
  const text = JSON.stringify(body)
  response.writeHead(status, {
    ...securityHeaders,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'x-request-id': requestId,
    // A body that was not read makes the connection unusable.
    connection: 'close',
  })
  response.end(text)
}
