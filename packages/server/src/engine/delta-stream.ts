// Merges what a model says into few events: at most one per window, one in flight, and the rest goes with the step's end.

interface DeltaStreamOptions {
  /** Puts one piece of text into the log. */
  readonly send: (text: string) => Promise<void>
  readonly enabled: boolean
}

const shortestWindowMs = 50
/** When the log is slow, fewer and larger events are the way to keep up. */
const longestWindowMs = 250
const slowSendMs = 50
const maxBuffered = 64 * 1024

export class DeltaStream {
  readonly #options: DeltaStreamOptions
  #buffer = ''
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
    return this.#buffer.length > maxBuffered ? (this.#sending ?? this.#flush()) : undefined
  }

  /** What has not been sent yet: it belongs to the change that ends the step. */
  async end(): Promise<string> {
    clearTimeout(this.#timer)
    await this.#sending
    if (this.#failure !== undefined) throw this.#failure
    const rest = this.#buffer
    this.#buffer = ''
    return rest
  }

  /** Gives up what is left. */
  async discard(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#sending
  }

  #flush(): Promise<void> {
    if (this.#sending) return this.#sending
    const text = this.#buffer
    this.#buffer = ''
    this.#sending = this.#send(text).finally(() => {
      this.#sending = undefined
      this.#timer = this.#buffer === '' ? undefined : setTimeout(() => this.#flush(), this.#windowMs)
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
    const isSlow = performance.now() - start > slowSendMs
    this.#windowMs = isSlow ? Math.min(longestWindowMs, this.#windowMs * 2) : shortestWindowMs
  }
}
