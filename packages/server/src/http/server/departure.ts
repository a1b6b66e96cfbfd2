// How a server leaves a load balancer without losing a request. It goes on answering while the balancer learns from
// /health/ready that it leaves. Then every answer asks the client to close its connection, and the server waits until
// the clients have done so. Without a balancer it does not wait.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { sleep } from '../../runtime/backoff.ts'

/** Probes that are this far apart come from something that watches, not from a start that waits for readiness. */
const apartMs = 1_000
/** A balancer that has not asked for this long is gone. */
const forgottenAfterMs = 15_000
/** How long clients may take to close their connections. */
const closeWithinMs = 1_000

interface DepartureOptions {
  readonly server: Server
  /** How long it goes on answering. */
  readonly announceMs: number
}

export class Departure {
  readonly #options: DepartureOptions
  #firstProbeAt: number | undefined
  #lastProbeAt = Number.NEGATIVE_INFINITY
  readonly #open = new Set<Socket>()
  #isClosing = false
  #whenEmpty = () => {}

  constructor(options: DepartureOptions) {
    this.#options = options
    const { server } = options
    server.on('connection', (socket) => {
      this.#open.add(socket)
      socket.once('close', () => {
        this.#open.delete(socket)
        if (this.#open.size === 0) this.#whenEmpty()
      })
    })
    // Before the request is handled: Node then sends `connection: close`, whichever way the answer is written.
    server.prependListener('request', (_request, response) => {
      if (this.#isClosing) response.shouldKeepAlive = false
    })
  }

  /** Call it when /health/ready is asked. */
  noteProbe(now: number = performance.now()): void {
    if (now - this.#lastProbeAt > forgottenAfterMs) this.#firstProbeAt = now
    this.#lastProbeAt = now
  }

  isWatched(now: number = performance.now()): boolean {
    if (this.#firstProbeAt === undefined || now - this.#lastProbeAt > forgottenAfterMs) return false
    return this.#lastProbeAt - this.#firstProbeAt >= apartMs
  }

  /** Resolves when a balancer had the time to learn that this server leaves. */
  async announce(): Promise<void> {
    if (this.isWatched()) await sleep(this.#options.announceMs)
    this.#isClosing = true
  }

  /** Resolves when clients have closed their connections, or had the time to do so. */
  async clientsLeft(): Promise<void> {
    if (!this.isWatched() || this.#open.size === 0) return
    const waited = new AbortController()
    this.#whenEmpty = () => waited.abort()
    await sleep(closeWithinMs, waited.signal)
  }
}
