// The tokens a run may still use, shared by its parallel calls. Each call reserves what it needs before it starts, so
// that together they stay within the limit.
import { estimatePrompt } from '../../models/port/estimate-tokens.ts'
import type { Model, ModelRequest } from '../../models/port/model.ts'

/** Tokens reserved for the answer of a call. The call may use more if no other call needs them. */
const answerTokens = 4_096

export class TokenReservations {
  readonly #left: () => number
  #reserved = 0
  #waiting: (() => void)[] = []

  /** `left` returns the tokens that are not used yet. */
  constructor(left: () => number) {
    this.#left = left
  }

  /**
   * Wraps a model so that its calls wait while other calls may use up what they need. A model that reads no prompt
   * costs nothing and is returned unchanged.
   */
  guard(model: Model): Model {
    if (model.readsPrompt === false) return model
    return { ...model, respond: (request) => this.#respond(model, request) }
  }

  async #respond(model: Model, given: ModelRequest) {
    // A copy, so that the prompt is built only once.
    const request = { ...given }
    const prompt = estimatePrompt(request)
    // There is no await between the check and the reservation.
    while (this.#mustWait(prompt, request.signal)) await this.#nextRelease(request.signal)
    const free = this.#left() - this.#reserved - prompt
    const reserved = prompt + Math.min(answerTokens, Math.max(0, free))
    this.#reserved += reserved
    try {
      return await model.respond({ ...request, maxOutputTokens: Math.max(1, free) })
    } finally {
      // Wait until the caller has recorded what was really used.
      setImmediate(() => this.#release(reserved))
    }
  }

  /** A single call always goes ahead. If it exceeds the ceiling, the run's limit applies. */
  #mustWait(prompt: number, signal: AbortSignal): boolean {
    return this.#reserved > 0 && this.#left() - this.#reserved <= prompt && !signal.aborted
  }

  #nextRelease(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  #release(reserved: number): void {
    this.#reserved -= reserved
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
