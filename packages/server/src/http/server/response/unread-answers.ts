// How many bytes of answers each customer has not read yet. They are in memory, so a customer that requests without
// reading must not have more than its share.
import type { ServerResponse } from 'node:http'
import { ServiceError } from '../../../domain/service-error.ts'
import { Counts } from '../../../runtime/counts.ts'

const maxBytes = 64 * 1024 * 1024
/** Smaller answers are not counted: the rate limit bounds them. */
const minBytes = 64 * 1024
/** How long a client may read nothing of an answer. */
export const unreadMs = 30_000

export class UnreadAnswers {
  readonly #bytes = new Counts()

  refuseBeyondLimit(customerId: string): void {
    if (this.#bytes.of(customerId) < maxBytes) return
    throw new ServiceError(
      'RATE_LIMITED',
      `The customer has more than ${maxBytes} bytes of responses that it has not read. Read them, then try again.`,
      1,
    )
  }

  /** Call it after the answer was written. It counts until the client has read it or is disconnected. */
  add(customerId: string, bytes: number, response: ServerResponse): void {
    if (bytes < minBytes || response.writableFinished || response.closed) return
    this.#bytes.change(customerId, bytes)
    response.setTimeout(unreadMs, () => response.destroy())
    response.once('close', () => this.#bytes.change(customerId, -bytes))
  }
}
