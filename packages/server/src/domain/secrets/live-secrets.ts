// The secrets of all runs that this process is executing, so that they can be removed from its log. Those of runs that
// have just ended stay for a while: a tool may fail after its run.
import type { SecretKeeper } from './secret-keeper.ts'

const keptMs = 60_000
/** Each line of the log is searched for all of them. */
const maxEnded = 100

export class LiveSecrets {
  readonly #keepers = new Set<SecretKeeper>()
  /** When their runs ended, in that order. */
  readonly #ended = new Map<SecretKeeper, number>()
  readonly #now: () => number

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  add(keeper: SecretKeeper | undefined): void {
    if (!keeper) return
    this.#keepers.add(keeper)
    this.#ended.delete(keeper)
  }

  /** Call it when the run has ended. */
  delete(keeper: SecretKeeper | undefined): void {
    if (!keeper || !this.#keepers.delete(keeper)) return
    this.#ended.set(keeper, this.#now())
    this.#forgetEnded()
  }

  readonly scrub = (text: string): string => {
    this.#forgetEnded()
    let scrubbed = text
    for (const keeper of [...this.#keepers, ...this.#ended.keys()]) scrubbed = keeper.scrubText(scrubbed)
    return scrubbed
  }

  #forgetEnded(): void {
    const oldest = this.#now() - keptMs
    for (const [keeper, endedAt] of this.#ended) {
      if (endedAt > oldest && this.#ended.size <= maxEnded) return
      this.#ended.delete(keeper)
    }
  }
}
