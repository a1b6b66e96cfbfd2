// Tells a quiet stream from a dead one: after some silence the service is asked whether it is there.

/** So long without a message, the service is asked; and so long it may take to answer. */
export const silenceMs = 5_000
export const answerMs = 4_000

/** Resolves if the service is there, in a cheap way. */
export type IsThere = (signal: AbortSignal) => Promise<unknown>

export class SilenceWatch {
  readonly #isThere: IsThere | undefined
  readonly #stream: AbortController
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Aborts the stream if the service does not answer. Without `isThere`, silence means nothing. */
  constructor(stream: AbortController, isThere: IsThere | undefined) {
    this.#stream = stream
    this.#isThere = isThere
    this.heard()
  }

  /** The silence begins again. */
  heard(): void {
    this.stop()
    if (this.#isThere) this.#timer = setTimeout(() => void this.#ask(), silenceMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  async #ask(): Promise<void> {
    const { signal } = this.#stream
    try {
      await this.#isThere?.(AbortSignal.any([signal, AbortSignal.timeout(answerMs)]))
      if (!signal.aborted) this.heard()
    } catch (error) {
      this.#stream.abort(error)
    }
  }
}
