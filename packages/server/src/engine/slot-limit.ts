// How many runs a worker executes at a time. A worker that falls behind takes fewer: half as many each time, and
// none while it is behind. While it keeps up, it takes one more each second, up to the setting. So a worker
// with little CPU finishes some runs instead of losing the leases of all.

/** How a worker has kept up since the last look. */
export interface Pace {
  /** How late the event loop was at worst. */
  readonly lagMs: number
  /** Leases that were lost or given up. */
  readonly lostLeases: number
  /** How many runs it executes. */
  readonly executing: number
}

/** A process that gets its CPU in portions is late by some tenths of a second although it keeps up. */
const behindMs = 1_000
/** What was decided shows its effect after some time. */
const looksBetweenCuts = 3

export class SlotLimit {
  /** How many it executes if it keeps up. */
  readonly most: number
  #slots: number
  #isBehind = false
  #looksSinceCut = looksBetweenCuts

  constructor(most: number) {
    this.most = most
    this.#slots = most
  }

  get slots(): number {
    return this.#slots
  }

  /** Whether no run is to be claimed for now. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Call it every second. */
  look({ lagMs, lostLeases, executing }: Pace): void {
    this.#looksSinceCut += 1
    // Without runs it is others that make it late. To wait for them would be to wait forever.
    this.#isBehind = lagMs > behindMs && executing > 0
    if (!this.#isBehind && lostLeases === 0) this.#slots = Math.min(this.most, this.#slots + 1)
    else if (this.#looksSinceCut > looksBetweenCuts) this.#cut()
  }

  #cut(): void {
    this.#slots = Math.max(1, Math.floor(this.#slots / 2))
    this.#looksSinceCut = 0
  }
}
