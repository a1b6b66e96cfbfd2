// The events of a run as one sequence, over as many connections as needed.
// The cursor is the last `seq` delivered: every connection starts after it, and repeated events are dropped.
import { type RetryPolicy, retryDelayMs, sleep } from './backoff.ts'
import { errorOfEnvelope, isTransient, RunwrightError } from './error.ts'
import { readMessages } from './event-connection.ts'
import { isTerminalEvent, type RunEvent } from './run-event.ts'
import type { ServerSentMessage } from './server-sent-events.ts'

const eventName = 'run_event'
const errorName = 'error'

/** The requests that the stream makes for a run. */
interface EventFeed {
  readonly open: (cursor: number, signal: AbortSignal) => Promise<Response>
  /** Whether there is no event after the cursor. */
  readonly isCaughtUp: (cursor: number) => Promise<boolean>
  /** Whether the run has ended. */
  readonly hasEnded: () => Promise<boolean>
}

interface FollowOptions {
  readonly cursor: number
  readonly keepOpen: boolean
  readonly idleTimeoutMs: number
  readonly retryPolicy: RetryPolicy
  readonly signal: AbortSignal | undefined
}

const parseEvent = (data: string): RunEvent => {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new RunwrightError('The event stream sent an event that is not JSON', { cause })
  }
}

/** Undefined for a message type that this client does not know. */
const eventOf = ({ event, data }: ServerSentMessage): RunEvent | undefined => {
  if (event === errorName) throw errorOfEnvelope(data)
  return event === eventName ? parseEvent(data) : undefined
}

export class EventStream {
  readonly #feed: EventFeed
  readonly #options: FollowOptions
  #cursor: number
  #failures = 0
  #retryHintMs: number

  constructor(feed: EventFeed, options: FollowOptions) {
    this.#feed = feed
    this.#options = options
    this.#cursor = options.cursor
    this.#retryHintMs = options.retryPolicy.initialDelayMs
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    for (;;) {
      try {
        const isOver = (yield* this.#readConnection()) || (await this.#hasEndedBefore())
        if (isOver) return
        this.#failures = 0
        await sleep(this.#retryHintMs, this.#options.signal)
      } catch (error) {
        await this.#waitAfter(error)
      }
    }
  }

  /** Returns true if the run has ended, false if the server closed the stream before that. */
  async *#readConnection(): AsyncGenerator<RunEvent, boolean, undefined> {
    for await (const message of this.#messages()) {
      const event = eventOf(message)
      if (!event || event.seq <= this.#cursor) continue
      this.#cursor = event.seq
      this.#failures = 0
      yield event
      if (isTerminalEvent(event) && (await this.#isOverAfter(event.seq))) return true
    }
    return false
  }

  #messages() {
    return readMessages({
      open: (signal) => this.#feed.open(this.#cursor, signal),
      signal: this.#options.signal,
      idleTimeoutMs: this.#options.idleTimeoutMs,
      onRetryHint: (milliseconds) => {
        this.#retryHintMs = milliseconds
      },
    })
  }

  /** A failed run may have been retried: then more events follow. */
  async #isOverAfter(seq: number) {
    return !this.#options.keepOpen && (await this.#feed.isCaughtUp(seq))
  }

  /** The cursor may be at the last event of a run that has already ended: then no more events will arrive. */
  async #hasEndedBefore() {
    return !this.#options.keepOpen && (await this.#feed.hasEnded()) && (await this.#feed.isCaughtUp(this.#cursor))
  }

  async #waitAfter(error: unknown) {
    const { retryPolicy, signal } = this.#options
    signal?.throwIfAborted()
    if (!isTransient(error)) throw error
    const delay = retryDelayMs(retryPolicy, this.#failures, error.retryAfter)
    if (delay === undefined) throw error
    this.#failures += 1
    await sleep(delay, signal)
  }
}
