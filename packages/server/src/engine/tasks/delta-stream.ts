// Merges streamed text into few events: at most one per window and one in flight. The rest goes with the step's last
// change. For a run with secrets, the end of the text is held back while it may be the start of a secret.

interface DeltaStreamOptions {
  /** Writes one piece of text to the log. */
  readonly send: (text: string) => Promise<void>
  readonly enabled: boolean
  /** How much of a text can be sent before its continuation is known. Default: all of it. */
  readonly safeLength?: ((text: string) => number) | undefined
}

const shortestWindowMs = 50
/** When the log is slow or this process is behind, the window grows to twice the time of a send: fewer events. */
const longestWindowMs = 1_000
const maxBuffered = 64 * 1024

export class DeltaStream {
  readonly #options: DeltaStreamOptions
  #buffer = ''
  /** How much of the start of the buffer could not be sent yet. */
  #heldLength = 0
  #windowMs = shortestWindowMs
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #failure: unknown

  constructor(options: DeltaStreamOptions) {
    this.#options = options
  }

  /** Resolves when there is room for more. */
  write(text: string): Promise<void> | void {
    if (!this.#options.enabled || text === '') return undefined
    if (this.#failure !== undefined) throw this.#failure
    this.#buffer += text
    this.#timer ??= setTimeout(() => this.#flush(), this.#windowMs)
    return this.#buffer.length - this.#heldLength > maxBuffered ? (this.#sending ?? this.#flush()) : undefined
  }

  /** Returns the text that is not sent yet. It belongs to the change that ends the step. */
  async end(): Promise<string> {
    await this.#rest()
    return this.#take(this.#buffer.length)
  }

  /** Like `end`, but more text follows: what must be held back stays here. */
  async pause(): Promise<string> {
    await this.#rest()
    return this.#take(this.#safeLength())
  }

  /** Takes text of an earlier execution of the run. All of it was sent except what had to be held back. */
  recall(text: string): void {
    if (!this.#options.enabled) return
    this.#buffer += text
    this.#take(this.#safeLength())
  }

  /** Drops the text that is left. */
  async discard(): Promise<void> {
    this.#buffer = ''
    clearTimeout(this.#timer)
    await this.#sending
  }

  async #rest(): Promise<void> {
    await this.#sending
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#failure !== undefined) throw this.#failure
  }

  #safeLength(): number {
    return this.#options.safeLength?.(this.#buffer) ?? this.#buffer.length
  }

  #take(length: number): string {
    const text = this.#buffer.slice(0, length)
    this.#buffer = this.#buffer.slice(length)
    this.#heldLength = this.#buffer.length
    return text
  }

  #flush(): Promise<void> | undefined {
    if (this.#sending) return this.#sending
    const text = this.#take(this.#safeLength())
    if (text === '') {
      // Everything is held back. The next piece starts the timer again.
      this.#timer = undefined
      return undefined
    }
    this.#sending = this.#send(text).finally(() => {
      this.#sending = undefined
      const hasMore = this.#buffer.length > this.#heldLength
      this.#timer = hasMore ? setTimeout(() => this.#flush(), this.#windowMs) : undefined
    })
    return this.#sending
  }

  async #send(text: string): Promise<void> {
    const start = performance.now()
    try {
      await this.#options.send(text)
    } catch (error) {
      this.#failure = error
    }
    const sendMs = performance.now() - start
    this.#windowMs = Math.max(shortestWindowMs, Math.min(longestWindowMs, 2 * sendMs))
  }
}
