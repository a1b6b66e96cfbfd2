// Detects overload: the event loop or the queues in front of the database are too far behind.
import { ServiceError } from '../../../domain/service-error.ts'
import type { WriteProblem } from '../../../store/postgres/errors.ts'
import { refusesWrites } from '../response/error-answer.ts'

const tickMs = 250
const tooFarBehindMs = 2_000

interface WriteQueues {
  /** How long the oldest write has waited. */
  readonly behindMs: () => number
  /** Why the database refuses writes now. */
  readonly problem: () => WriteProblem | undefined
}

export class LoadMonitor {
  readonly #writes: WriteQueues
  #timer: NodeJS.Timeout | undefined
  #lastTick = performance.now()
  #lag = 0

  constructor(writes: WriteQueues) {
    this.#writes = writes
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

  /** A read does not wait in the queues of writes. */
  refuseWhenBehind(request: 'read' | 'write'): void {
    if (this.#lag >= tooFarBehindMs) throw overloaded()
    if (request === 'read' || this.#writes.behindMs() < tooFarBehindMs) return
    const problem = this.#writes.problem()
    throw problem ? refusesWrites(problem) : overloaded()
  }
}

const overloaded = () =>
  new ServiceError(
    'OVERLOADED',
    'The service is overloaded: it is more than 2 seconds behind. Nothing was written. Try again.',
    2,
  )
