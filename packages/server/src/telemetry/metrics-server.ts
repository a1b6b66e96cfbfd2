// Serves GET /metrics on a port of its own, without a key: only Prometheus is to reach it. Workers serve no API, so
// supervisors ask here whether they are alive: an answer needs a running event loop.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '../runtime/logger.ts'
import { contentType } from './metrics.ts'

interface MetricsServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly read: () => Promise<string>
  readonly logger: Logger
}

/** More than any number of scrapers needs. */
const maxConnections = 100
const timeouts = { headersTimeout: 10_000, requestTimeout: 10_000 }

/** Its message says what to do. */
export class MetricsPortError extends Error {
  override readonly name = 'MetricsPortError'
}

export class MetricsServer {
  readonly #options: MetricsServerOptions
  readonly #server: Server

  constructor(options: MetricsServerOptions) {
    this.#options = options
    this.#server = createServer(timeouts, (request, response) => void this.#answer(request, response))
    this.#server.maxConnections = maxConnections
  }

  /** Resolves with its address. */
  async start(): Promise<string> {
    const { host, port, logger } = this.#options
    this.#server.listen({ host, port, exclusive: true })
    await once(this.#server, 'listening').catch((error: NodeJS.ErrnoException) => {
      const problem = error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be opened (${error.code})`
      throw new MetricsPortError(`Port ${port} on ${host} ${problem}. Set RUNWRIGHT_METRICS_PORT to another one.`)
    })
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${(this.#server.address() as AddressInfo).port}/metrics`
    logger.info({ url }, 'metrics are served')
    return url
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const path = isRead ? request.url?.split('?', 1)[0] : undefined
    if (path === '/health/live') {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(request.method === 'HEAD' ? undefined : '{"status":"ok"}')
      return
    }
    if (path !== '/metrics') {
      response.writeHead(404).end('Only GET /metrics and GET /health/live are served here.\n')
      return
    }
    try {
      const text = await this.#options.read()
      response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' })
      response.end(request.method === 'HEAD' ? undefined : text)
    } catch (error) {
      this.#options.logger.error({ err: error }, 'metrics could not be read')
      response.writeHead(500).end('The metrics could not be read. The log says why.\n')
    }
  }
}
