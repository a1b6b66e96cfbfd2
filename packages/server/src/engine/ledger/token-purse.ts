// What a run may still spend, shared by the calls it makes side by side: each reserves what it will need before it begins,
// so that together they do not spend what each of them alone could.
import { estimateTokens } from '../../models/port/estimate-tokens.ts'
import type { Model, ModelRequest } from '../../models/port/model.ts'

/** Room for an answer that a call keeps from others; it may use more if nobody else needs it. */
const answerTokens = 4_096

export class TokenPurse {
  readonly #left: () => number
  #reserved = 0
  #waiting: (() => void)[] = []

  /** `left`: what has not been spent yet. */
  constructor(left: () => number) {
    this.#left = left
  }

  /** The same model; its calls wait while others may use up what they need. One that reads no prompt costs nothing. */
  guard(model: Model): Model {
    if (model.readsPrompt === false) return model
    return { ...model, respond: (request) => this.#respond(model, request) }
  }

  async #respond(model: Model, given: ModelRequest) {
    // A copy: the prompt is made once, here.
    const request = { ...given }
    const prompt = estimateTokens(JSON.stringify([request.messages, request.tools]))
    // Nothing is awaited between the look and the reservation.
    while (this.#mustWait(prompt, request.signal)) await this.#nextRelease(request.signal)
    const free = this.#left() - this.#reserved - prompt
    const reserved = prompt + Math.min(answerTokens, Math.max(0, free))
    this.#reserved += reserved
    try {
      return await model.respond({ ...request, maxOutputTokens: Math.max(1, free) })
    } finally {
      // Not before the caller has put down what was really spent.
      setImmediate(() => this.#release(reserved))
    }
  }

  /** Alone, a call always goes: what is over the ceiling then is for the run's limit to say. */
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
