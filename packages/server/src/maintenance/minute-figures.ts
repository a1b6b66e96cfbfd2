// What this process has measured since the last minute was recorded. Counting only adds to numbers in memory.

/** Upper limits in milliseconds. Slower answers count as twice the last. */
const limits = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const
const slowestMs = 20_000

interface Answered {
  readonly status: number
  readonly ms: number
  readonly isStream: boolean
}

interface Places {
  readonly busy: number
  readonly places: number
}

export interface TakenFigures {
  readonly requests: number
  readonly errors: number
  /** The limit that 95 of 100 answers were below. Null: there were none. Streams do not count. */
  readonly latencyMs: number | null
  readonly busyPlaces: number | null
  readonly places: number | null
}

export class MinuteFigures {
  #requests = 0
  #errors = 0
  #counts = limitCounts()
  #readPlaces: (() => Places) | undefined

  readonly countAnswer = ({ status, ms, isStream }: Answered): void => {
    this.#requests += 1
    if (status >= 500) this.#errors += 1
    if (isStream) return
    const index = limits.findIndex((limit) => ms <= limit)
    this.#counts[index < 0 ? limits.length : index] = (this.#counts.at(index < 0 ? limits.length : index) ?? 0) + 1
  }

  /** The process executes runs. */
  watchPlaces(read: () => Places): void {
    this.#readPlaces = read
  }

  /** Begins the next minute. */
  take(): TakenFigures {
    const places = this.#readPlaces?.()
    const taken = {
      requests: this.#requests,
      errors: this.#errors,
      latencyMs: percentile(this.#counts, 0.95),
      busyPlaces: places?.busy ?? null,
      places: places?.places ?? null,
    }
    this.#requests = 0
    this.#errors = 0
    this.#counts = limitCounts()
    return taken
  }
}

const limitCounts = (): number[] => Array.from({ length: limits.length + 1 }, () => 0)

function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.ceil(total * share)
  const index = counts.findIndex((count) => {
    left -= count
    return left <= 0
  })
  return limits[index] ?? slowestMs
}
