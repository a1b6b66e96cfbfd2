// Limits how many connections a server has open. Each one takes memory and a file descriptor, also one on which a
// client sends a byte now and then.
//
//   up to `max`      served
//   a few more       probes are served, other requests get 503, and the connection ends soon
//   beyond           closed at once
//
// Not by `server.maxConnections` of Node: there a probe would be refused, too, and a supervisor would restart a process
// that is only full. And when all processes of a cluster are full, Node passes a connection around among them for ever.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '../../../domain/service-error.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { networkOf } from './network-of.ts'

export interface ConnectionLimitsOptions {
  /** 0: no limit. */
  readonly max: number
  /** Per IPv4 address, or IPv6 network of 64 bits. 0: no limit. */
  readonly maxPerAddress: number
  readonly logger: Pick<Logger, 'warn'>
  readonly onRefused?: ((why: RefusedBecause) => void) | undefined
}

export type RefusedBecause = 'limit' | 'address'

/** Connections above the limit that may still ask for the health of the process. */
const spare = 100
const spareMs = 5_000
const closeIdleEveryMs = 1_000
const warnEveryMs = 60_000

export class ConnectionLimits {
  readonly #options: ConnectionLimitsOptions
  readonly #ofNetwork = new Map<string, number>()
  /** Connections above the limit, with the timer that ends them. */
  readonly #extra = new Map<Socket, NodeJS.Timeout>()
  #open = 0
  #idleClosedAt = Number.NEGATIVE_INFINITY
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(options: ConnectionLimitsOptions) {
    this.#options = options
  }

  get open(): number {
    return this.#open
  }

  /** Call it before connections arrive. */
  attach(server: Server): void {
    server.prependListener('connection', (socket) => this.#accept(server, socket))
    // Node then sends `connection: close`, whichever way the answer is written.
    server.prependListener('request', ({ socket }, response) => {
      if (this.#isExtra(socket)) response.shouldKeepAlive = false
    })
  }

  /** Why a request is refused: its connection is above the limit, and it does not ask for the health of the process. */
  findRefusal({ socket, url = '' }: IncomingMessage): ServiceError | undefined {
    if (!this.#isExtra(socket) || url.startsWith('/health/')) return undefined
    this.#options.onRefused?.('limit')
    return new ServiceError(
      'OVERLOADED',
      'The service has too many open connections. Nothing was written. Try again.',
      2,
    )
  }

  #accept(server: Server, socket: Socket): void {
    const { max, maxPerAddress } = this.#options
    const network = networkOf(socket.remoteAddress ?? '')
    const ofNetwork = (this.#ofNetwork.get(network) ?? 0) + 1
    if (maxPerAddress > 0 && ofNetwork > maxPerAddress) {
      this.#drop(socket, 'address')
      return
    }
    if (max > 0 && this.#open >= max + spare) {
      this.#drop(socket, 'limit')
      return
    }
    this.#open += 1
    this.#ofNetwork.set(network, ofNetwork)
    socket.once('close', () => this.#closed(socket, network))
    if (max === 0 || this.#open <= max) return
    this.#extra.set(socket, setTimeout(() => socket.destroy(), spareMs).unref())
    this.#makeRoom(server)
  }

  #drop(socket: Socket, why: RefusedBecause): void {
    this.#options.onRefused?.(why)
    this.#warn(why)
    socket.destroy()
  }

  #closed(socket: Socket, network: string): void {
    this.#open -= 1
    clearTimeout(this.#extra.get(socket))
    this.#extra.delete(socket)
    const left = (this.#ofNetwork.get(network) ?? 1) - 1
    if (left > 0) this.#ofNetwork.set(network, left)
    else this.#ofNetwork.delete(network)
  }

  /** A connection is extra no longer when enough others have ended. */
  #isExtra(socket: Socket): boolean {
    const timer = this.#extra.get(socket)
    if (timer === undefined) return false
    if (this.#open > this.#options.max) return true
    clearTimeout(timer)
    this.#extra.delete(socket)
    return false
  }

  /** Connections between two requests are kept for the convenience of clients. They go first. */
  #makeRoom(server: Server): void {
    this.#warn('limit')
    const now = performance.now()
    if (now - this.#idleClosedAt < closeIdleEveryMs) return
    this.#idleClosedAt = now
    server.closeIdleConnections()
  }

  #warn(why: RefusedBecause): void {
    const now = performance.now()
    if (now - this.#warnedAt < warnEveryMs) return
    this.#warnedAt = now
    const { max, maxPerAddress, logger } = this.#options
    const fields = why === 'limit' ? { open: this.#open, max } : { max_per_address: maxPerAddress }
    logger.warn(fields, 'too many open connections; some are refused')
  }
}
