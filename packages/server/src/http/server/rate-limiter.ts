// A token bucket per key, with a burst of twice the rate per second.
import { ServiceError } from '../../domain/service-error.ts'

interface Bucket {
  tokens: number
  at: number
}

const maxIdleBuckets = 10_000

export class RateLimiter {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

  /** `perSecond` 0 means no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#burst = Math.max(1, 2 * perSecond)
  }

  /** Takes one token from the bucket of the key, or refuses the request. */
  take(keyId: string, nowMs: number = performance.now()): void {
    if (this.#perSecond === 0) return
    const bucket = this.#refilled(keyId, nowMs)
    if (bucket.tokens < 1) throw this.#refusal(bucket)
    bucket.tokens -= 1
  }

  #refilled(keyId: string, nowMs: number): Bucket {
    const known = this.#buckets.get(keyId)
    if (known) {
      known.tokens = Math.min(this.#burst, known.tokens + ((nowMs - known.at) / 1000) * this.#perSecond)
      known.at = nowMs
      return known
    }
    if (this.#buckets.size >= maxIdleBuckets) this.#forgetFull(nowMs)
    const bucket = { tokens: this.#burst, at: nowMs }
    this.#buckets.set(keyId, bucket)
    return bucket
  }

  /** A full bucket is equivalent to no bucket. */
  #forgetFull(nowMs: number): void {
    const fillMs = (this.#burst / this.#perSecond) * 1000
    for (const [keyId, bucket] of this.#buckets) if (nowMs - bucket.at > fillMs) this.#buckets.delete(keyId)
  }

  #refusal({ tokens }: Bucket): ServiceError {
    const waitSeconds = (1 - tokens) / this.#perSecond
    return new ServiceError(
      'RATE_LIMITED',
      `The API key exceeded its limit of ${this.#perSecond} requests per second. Retry later.`,
      waitSeconds,
    )
  }
}
