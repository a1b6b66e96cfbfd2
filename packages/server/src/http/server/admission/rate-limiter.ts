// Limits requests per key, per customer or per address, with a burst of twice the rate per second.
import { ServiceError } from '../../../domain/service-error.ts'
import { TokenBuckets } from './token-buckets.ts'

export class RateLimiter {
  readonly #owner: string
  readonly #perSecond: number
  readonly #buckets: TokenBuckets

  /** `perSecond` 0 means no limit. `owner` is for messages. */
  constructor(owner: 'API key' | 'customer' | 'address' | 'holder of the token' | 'decision link', perSecond: number) {
    this.#owner = owner
    this.#perSecond = perSecond
    this.#buckets = new TokenBuckets({ perSecond, burst: Math.max(1, 2 * perSecond) })
  }

  /** Takes one token from the bucket with this id, or refuses the request. */
  take(id: string, nowMs: number = performance.now()): void {
    if (this.#perSecond === 0) return
    const waitSeconds = this.#buckets.take(id, nowMs)
    if (waitSeconds === undefined) return
    throw new ServiceError(
      'RATE_LIMITED',
      `The ${this.#owner} exceeded its limit of ${this.#perSecond} requests per second. Retry later.`,
      waitSeconds,
    )
  }
}
