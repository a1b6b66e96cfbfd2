// How a server leaves without losing a request, and without waiting for clients that keep their connections. It goes on
// answering while a load balancer learns from /health/ready that it leaves. Then every answer closes its connection,
// also those that are being written, and the server waits until the clients have left. Without a balancer it does not
// wait.
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { sleep } from '../../../runtime/backoff.ts'

/** Probes that are this far apart come from something that watches, not from a start that waits for readiness. */
const apartMs = 1_000
/** A balancer that has not asked for this long is gone. */
const forgottenAfterMs = 15_000
/** How long clients may take to close their connections. */
const closeWithinMs = 2_000
/** How long requests that are still being received or answered may take at the end. */
const endWithinMs = 2_000

interface DrainOptions {
  readonly server: Server
  /** How long it goes on answering. */
  readonly announceMs: number
}

export class Drain {
  readonly #options: DrainOptions
  #firstProbeAt: number | undefined
  #lastProbeAt = Number.NEGATIVE_INFINITY
  readonly #open = new Set<Socket>()
  readonly #answering = new Set<ServerResponse>()
  #isClosing = false
  #whenEmpty = () => {}

  constructor(options: DrainOptions) {
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
      if (this.#isClosing) closeAfter(response)
      this.#answering.add(response)
      response.once('close', () => this.#answering.delete(response))
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
    for (const response of this.#answering) closeAfter(response)
  }

  /** Resolves when clients have closed their connections, or had the time to do so. */
  async clientsLeft(): Promise<void> {
    if (this.isWatched()) await this.#untilEmpty(closeWithinMs)
  }

  /** Closes the server. A client that takes too long to send or to read loses its connection. */
  async end(close: () => Promise<void>): Promise<void> {
    const closed = close()
    await this.#untilEmpty(endWithinMs)
    this.#options.server.closeAllConnections()
    await closed
  }

  async #untilEmpty(withinMs: number): Promise<void> {
    if (this.#open.size === 0) return
    const waited = new AbortController()
    this.#whenEmpty = () => waited.abort()
    await sleep(withinMs, waited.signal)
  }
}

/** If the headers are out, the client was not told to close the connection, so the server closes it. */
function closeAfter(response: ServerResponse): void {
  const { socket } = response
  response.shouldKeepAlive = false
  if (response.headersSent) response.once('finish', () => socket?.destroySoon())
}
