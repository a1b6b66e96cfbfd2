// Latencies in buckets of a millisecond: millions of them cost no memory.

export class Histogram {
  #buckets = new Map()
  #count = 0

  add(ms) {
    const bucket = Math.max(0, Math.round(ms))
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
    this.#count += 1
  }

  get count() {
    return this.#count
  }

  percentile(share) {
    let left = Math.floor(this.#count * share)
    for (const [ms, count] of [...this.#buckets].toSorted(([a], [b]) => a - b)) {
      if (left < count) return ms
      left -= count
    }
    return Number.NaN
  }

  clear() {
    this.#buckets.clear()
    this.#count = 0
  }
}
