// Notices that the process stood still: paused, starved, or on a machine that was suspended. A timer that fires much
// too late shows it. After a pause the event loop runs due timers before it reads from sockets, so executions are
// aborted before answers that came meanwhile are read. What was already about to run can come first: for that reason a
// lease is looked at again right before anything leaves the process (`engine/context/lease.ts`).
import { type Moment, momentNow, msSince } from '../runtime/moment.ts'

interface ClockWatchOptions {
  readonly everyMs: number
  /** A timer that is later than this shows a pause. */
  readonly maxLateMs: number
  readonly onPause: (lateMs: number) => void
}

export class ClockWatch {
  readonly #options: ClockWatchOptions
  #timer: NodeJS.Timeout | undefined
  #armedAt: Moment | undefined
  #worstLateMs = 0

  constructor(options: ClockWatchOptions) {
    this.#options = options
  }

  start(): void {
    clearTimeout(this.#timer)
    this.#armedAt = momentNow()
    this.#timer = setTimeout(() => {
      this.look()
      this.start()
    }, this.#options.everyMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#armedAt = undefined
  }

  /** Whether there was a pause that no look has noticed yet. It can come before the timer fires. */
  look(): boolean {
    const { maxLateMs, onPause } = this.#options
    const lateMs = this.#noteLateMs()
    if (lateMs <= maxLateMs) return false
    this.start()
    onPause(lateMs)
    return true
  }

  /** How late the event loop was at worst since the last call. */
  takeWorstLateMs(): number {
    this.#noteLateMs()
    const worst = this.#worstLateMs
    this.#worstLateMs = 0
    return worst
  }

  #noteLateMs(): number {
    if (!this.#armedAt) return 0
    const lateMs = Math.max(0, msSince(this.#armedAt) - this.#options.everyMs)
    this.#worstLateMs = Math.max(this.#worstLateMs, lateMs)
    return lateMs
  }
}
