// Measures how late the event loop is: a turn took too long, the process had no processor, or it stood still, as when
// its host sleeps.
const tickMs = 250
const tooFarBehindMs = 2_000

export class EventLoopLag {
  #timer: NodeJS.Timeout | undefined
  #lastTick = performance.now()
  #lag = 0
  #behindUntil = Number.NEGATIVE_INFINITY

  start(): void {
    this.#lastTick = performance.now()
    this.#timer = setInterval(() => this.tick(), tickMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Measures how late this tick is. */
  tick(now: number = performance.now()): void {
    this.#lag = this.#lagAt(now)
    this.#lastTick = now
    if (this.isTooFarBehind) this.#behindUntil = now
  }

  get isTooFarBehind(): boolean {
    return this.#lag >= tooFarBehindMs
  }

  /** Also when the tick that tells is still due: timers that are due run in one go, in any order. */
  wasTooFarBehindWithin(ms: number, now: number = performance.now()): boolean {
    return now - this.#behindUntil <= ms || this.#lagAt(now) >= tooFarBehindMs
  }

  #lagAt(now: number): number {
    return now - this.#lastTick - tickMs
  }
}
