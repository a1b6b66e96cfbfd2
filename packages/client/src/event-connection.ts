// One connection to the event stream of a run: opened, read to its end, and given up when it falls silent.
import { RunwrightError } from './error.ts'
import { ServerSentEventParser, type ServerSentMessage } from './server-sent-events.ts'

export interface ConnectionOptions {
  readonly open: (signal: AbortSignal) => Promise<Response>
  readonly signal: AbortSignal | undefined
  /** Without a byte for this long the connection counts as dead; the service sends comments well within it. */
  readonly idleTimeoutMs: number
  readonly onRetryHint: (milliseconds: number) => void
}

/** Aborts what takes too long to bring the next byte: a connection can die without anyone being told. */
class Watchdog {
  readonly #controller = new AbortController()
  readonly #milliseconds: number

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  get signal() {
    return this.#controller.signal
  }

  /** Watches only while it is waited for: a slow reader of events is no dead connection. */
  async watch<T>(next: Promise<T>): Promise<T> {
    const silence = new RunwrightError(`The stream was silent for ${this.#milliseconds} ms`)
    const timer = setTimeout(() => this.#controller.abort(silence), this.#milliseconds)
    try {
      return await next
    } finally {
      clearTimeout(timer)
    }
  }

  close() {
    this.#controller.abort()
  }
}

async function* readText(body: ReadableStream<Uint8Array>, watchdog: Watchdog): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await watchdog.watch(reader.read())
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}

const lost = (cause: unknown) =>
  cause instanceof RunwrightError ? cause : new RunwrightError('The stream broke', { cause })

/** Ends when the server closes the stream; throws a RunwrightError when it breaks or is aborted. */
export async function* readMessages(options: ConnectionOptions): AsyncGenerator<ServerSentMessage> {
  const watchdog = new Watchdog(options.idleTimeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, watchdog.signal]) : watchdog.signal
  const parser = new ServerSentEventParser()
  try {
    const { body } = await watchdog.watch(options.open(signal))
    for await (const text of body ? readText(body, watchdog) : []) {
      yield* parser.push(text)
      if (parser.retryMs !== undefined) options.onRetryHint(parser.retryMs)
    }
  } catch (error) {
    throw lost(error)
  } finally {
    watchdog.close()
  }
}
