// Limits requests without a key, per client. A client can invent its name, so the address that it connects from has a
// limit, too: behind a proxy that is the limit for all.
import type { IncomingMessage } from 'node:http'
import { RateLimiter } from '../server/admission/rate-limiter.ts'
import { clientOf } from './client-of.ts'

const perSecond = { client: 10, address: 100 } as const

export class ClientLimiter {
  readonly #clients = new RateLimiter('address', perSecond.client)
  readonly #addresses = new RateLimiter('address', perSecond.address)

  /** Refuses with `RATE_LIMITED`. In this order: names that a client invents must not fill the memory. */
  take(request: Pick<IncomingMessage, 'headers' | 'socket'>): void {
    this.#addresses.take(request.socket.remoteAddress ?? '')
    this.#clients.take(clientOf(request))
  }
}
