// How many mails a customer's people get: some at once, and what comes in the rest of a minute waits for its end, and
// is then one mail. Each process counts for itself.

const windowMs = 60_000
export const mailsPerWindow = 5

interface Window {
  readonly startedMs: number
  sent: number
}

export class MailPace {
  readonly #windows = new Map<string, Window>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** How long the mail of a customer waits. 0: it can be sent now. */
  waitMs(customerId: string): number {
    const { startedMs, sent } = this.#window(customerId)
    return sent < mailsPerWindow ? 0 : startedMs + windowMs - this.#now()
  }

  count(customerId: string): void {
    this.#window(customerId).sent += 1
  }

  #window(customerId: string): Window {
    const now = this.#now()
    const known = this.#windows.get(customerId)
    if (known && now - known.startedMs < windowMs) return known
    const window = { startedMs: now, sent: 0 }
    this.#windows.set(customerId, window)
    return window
  }
}
