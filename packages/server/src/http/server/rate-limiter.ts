// A token bucket per key, per customer or per address, with a burst of twice the rate per second.
import { ServiceError } from '../../domain/service-error.ts'

interface Bucket {
  tokens: number
  at: number
}

const maxIdleBuckets = 10_000

export class RateLimiter {
  readonly #owner: string
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

  /** `perSecond` 0 means no limit. `owner` is for messages. */
  constructor(owner: 'API key' | 'customer' | 'address', perSecond: number) {
    this.#owner = owner
    this.#perSecond = perSecond
    this.#burst = Math.max(1, 2 * perSecond)
  }

  /** Takes one token from the bucket with this id, or refuses the request. */
  take(id: string, nowMs: number = performance.now()): void {
    if (this.#perSecond === 0) return
    const bucket = this.#refilled(id, nowMs)
    if (bucket.tokens < 1) throw this.#refusal(bucket)
    bucket.tokens -= 1
  }

  #refilled(id: string, nowMs: number): Bucket {
    const known = this.#buckets.get(id)
    if (known) {
      known.tokens = Math.min(this.#burst, known.tokens + ((nowMs - known.at) / 1000) * this.#perSecond)
      known.at = nowMs
      return known
    }
    if (this.#buckets.size >= maxIdleBuckets) this.#forgetFull(nowMs)
    const bucket = { tokens: this.#burst, at: nowMs }
    this.#buckets.set(id, bucket)
    return bucket
  }

  /** A full bucket is equivalent to no bucket. */
  #forgetFull(nowMs: number): void {
    const fillMs = (this.#burst / this.#perSecond) * 1000
    for (const [id, bucket] of this.#buckets) if (nowMs - bucket.at > fillMs) this.#buckets.delete(id)
  }

  #refusal({ tokens }: Bucket): ServiceError {
    const waitSeconds = (1 - tokens) / this.#perSecond
    return new ServiceError(
      'RATE_LIMITED',
      `The ${this.#owner} exceeded its limit of ${this.#perSecond} requests per second. Retry later.`,
      waitSeconds,
    )
  }
}
