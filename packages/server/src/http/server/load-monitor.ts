// Detects overload: the event loop or the queues in front of the database are too far behind.
import { ServiceError } from '../../domain/service-error.ts'

const tickMs = 250
const tooFarBehindMs = 2_000

export class LoadMonitor {
  readonly #queuesBehindMs: () => number
  #timer: NodeJS.Timeout | undefined
  #lastTick = performance.now()
  #lag = 0

  constructor(queuesBehindMs: () => number) {
    this.#queuesBehindMs = queuesBehindMs
  }

  start(): void {
    this.#lastTick = performance.now()
    this.#timer = setInterval(() => this.tick(), tickMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Measures how late this tick is. */
  tick(now: number = performance.now()): void {
    this.#lag = now - this.#lastTick - tickMs
    this.#lastTick = now
  }

  refuseWhenBehind(): void {
    if (this.#lag < tooFarBehindMs && this.#queuesBehindMs() < tooFarBehindMs) return
    throw new ServiceError(
      'OVERLOADED',
      'The service is overloaded: it is more than 2 seconds behind. Nothing was written. Try again.',
      2,
    )
  }
}
