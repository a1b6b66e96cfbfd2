// Detects overload: the event loop or the queues in front of the database are too far behind.
import { ServiceError } from '../../../domain/service-error.ts'
import type { WriteProblem } from '../../../store/postgres/errors.ts'
import { refusesWrites } from '../response/error-answer.ts'
import type { EventLoopLag } from './event-loop-lag.ts'

const tooFarBehindMs = 2_000

interface WriteQueues {
  /** How long the oldest write has waited. */
  readonly behindMs: () => number
  /** Why the database refuses writes now. */
  readonly problem: () => WriteProblem | undefined
}

export class LoadMonitor {
  readonly #lag: Pick<EventLoopLag, 'isTooFarBehind'>
  readonly #writes: WriteQueues

  constructor(lag: Pick<EventLoopLag, 'isTooFarBehind'>, writes: WriteQueues) {
    this.#lag = lag
    this.#writes = writes
  }

  /** A read does not wait in the queues of writes. */
  refuseWhenBehind(request: 'read' | 'write'): void {
    if (this.#lag.isTooFarBehind) throw overloaded()
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
