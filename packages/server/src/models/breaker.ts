// A circuit breaker per model. After several failures in a row, no calls are made for a while; then one call probes
// whether the provider is back. Refused calls wait without holding a worker.

const failuresToOpen = 5
const openMs = 30_000
/** While one call probes the provider, the others ask again after this time: short enough to wait without parking. */
const probeMs = 1_500

interface BreakerState {
  readonly model: string
  readonly failures: number
  readonly retryInMs: number
}

export class Breaker {
  readonly model: string
  readonly #now: () => number
  readonly #onChange: (isOpen: boolean) => void
  #failures = 0
  #openUntil: number | undefined
  #isProbing = false

  constructor(model: string, onChange: (isOpen: boolean) => void = () => undefined, now = () => performance.now()) {
    this.model = model
    this.#onChange = onChange
    this.#now = now
  }

  /**
   * Returns undefined when the call may be made; its outcome must then be reported. Otherwise returns how many
   * milliseconds to wait before asking again.
   */
  admit(): number | undefined {
    if (this.#openUntil === undefined) return undefined
    const waitMs = this.#openUntil - this.#now()
    if (waitMs > 0) return waitMs
    if (this.#isProbing) return probeMs
    this.#isProbing = true
    return undefined
  }

  /** The provider answered, even if it refused the request. */
  succeeded(): void {
    const wasOpen = this.#openUntil !== undefined
    this.#failures = 0
    this.#openUntil = undefined
    this.#isProbing = false
    if (wasOpen) this.#onChange(false)
  }

  failed(): void {
    this.#failures += 1
    this.#isProbing = false
    if (this.#failures < failuresToOpen) return
    const wasOpen = this.#openUntil !== undefined
    this.#openUntil = this.#now() + openMs
    if (!wasOpen) this.#onChange(true)
  }

  /** The call was aborted, so its outcome is unknown. */
  forget(): void {
    this.#isProbing = false
  }

  get state(): BreakerState | undefined {
    if (this.#openUntil === undefined) return undefined
    return { model: this.model, failures: this.#failures, retryInMs: Math.max(0, this.#openUntil - this.#now()) }
  }
}

export class Breakers {
  readonly #breakers = new Map<string, Breaker>()
  readonly #onChange: (model: string, isOpen: boolean) => void

  constructor(onChange: (model: string, isOpen: boolean) => void = () => undefined) {
    this.#onChange = onChange
  }

  of(model: string): Breaker {
    const known = this.#breakers.get(model) ?? new Breaker(model, (isOpen) => this.#onChange(model, isOpen))
    this.#breakers.set(model, known)
    return known
  }

  get open(): BreakerState[] {
    return [...this.#breakers.values()].flatMap(({ state }) => state ?? [])
  }
}
