// A token bucket per id: it holds up to `burst` tokens and gains some every second.

interface Bucket {
  tokens: number
  at: number
}

interface TokenBucketsOptions {
  readonly perSecond: number
  readonly burst: number
}

const maxIdleBuckets = 10_000

export class TokenBuckets {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

  constructor({ perSecond, burst }: TokenBucketsOptions) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Takes a token. If there is none, returns after how many seconds there will be one, otherwise undefined. */
  take(id: string, nowMs: number = performance.now()): number | undefined {
    const bucket = this.#refilled(id, nowMs)
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#perSecond
    bucket.tokens -= 1
    return undefined
  }

  giveBack(id: string): void {
    const bucket = this.#buckets.get(id)
    if (bucket) bucket.tokens = Math.min(this.#burst, bucket.tokens + 1)
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
}
