// Tells a server that does not answer from a process that cannot hear it. The timers of a busy event loop run out
// before it reads the answers that have arrived, and a statement may wait for a connection while others are answered.
import { performance as clock } from 'node:perf_hooks'

/** While the event loop waits for so long, it reads whatever has arrived. */
const enoughIdleMs = 200

const idleMs = (): number => clock.eventLoopUtilization().idle

interface AnsweringServer {
  /** When it last answered a statement of this process, on the clock of `performance.now()`. */
  readonly answeredAt: number
}

/** From its creation on. */
export class ServerSilence {
  readonly #server: AnsweringServer
  readonly #startedAt = performance.now()
  readonly #idleAt = idleMs()

  constructor(server: AnsweringServer) {
    this.#server = server
  }

  /** Nothing was heard, although the event loop had the time. */
  get isCertain(): boolean {
    return this.#server.answeredAt < this.#startedAt && idleMs() - this.#idleAt >= enoughIdleMs
  }
}
