// One connection to the event stream of a run: opens it, reads it to its end, and aborts it when it is idle too long.
import { RunwrightError } from './error.ts'
import { ServerSentEventParser, type ServerSentMessage } from './server-sent-events.ts'

interface ConnectionOptions {
  readonly open: (signal: AbortSignal) => Promise<Response>
  readonly signal: AbortSignal | undefined
  /** A connection without data for this long counts as dead. The service sends comments much more often. */
  readonly idleTimeoutMs: number
  readonly onRetryHint: (milliseconds: number) => void
}

/** Aborts a connection that delivers nothing for too long: a connection can die without an error. */
class Watchdog {
  readonly #controller = new AbortController()
  readonly #milliseconds: number

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  get signal() {
    return this.#controller.signal
  }

  /** Runs only during a read: a slow consumer of events does not mean a dead connection. */
  async watch<T>(next: Promise<T>): Promise<T> {
    const silence = new RunwrightError(`The event stream sent no data for ${this.#milliseconds} ms`)
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
  cause instanceof RunwrightError ? cause : new RunwrightError('The connection of the event stream was lost', { cause })

/** Ends when the server closes the stream. Throws a RunwrightError if the connection is lost or aborted. */
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
