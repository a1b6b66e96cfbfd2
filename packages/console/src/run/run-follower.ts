// Follows the events of a run and passes them to the page in batches, so that a fast stream does not render every
// event. It reconnects for ever: only a refusal, such as a revoked key, or the end of the run stops it. From any state,
// `start` continues after the last event.
import { type RunEvent, RunwrightError } from '@runwright/client'
import { pause } from '../parts/pause.ts'
import { type IsThere, SilenceWatch } from '../parts/silence-watch.ts'
import type { Story } from './story/story.ts'
import { StoryTeller } from './story/story-teller.ts'

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'reconnecting' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'broken'; readonly error: unknown }

export interface FollowedRun {
  /**
   * Grows in place: copying a long list for every batch would be slow. `count` says how many belong to this snapshot.
   */
  readonly events: readonly RunEvent[]
  readonly count: number
  readonly story: Story
  readonly connection: Connection
}

export interface OpenOptions {
  readonly signal: AbortSignal
  /** The stream has answered. */
  readonly onOpen: () => void
}

export interface RunSource {
  /** Ends when the run ends; throws if the stream fails. */
  readonly open: (cursor: number, options: OpenOptions) => AsyncIterable<RunEvent>
  /** Resolves when the service answers again. */
  readonly probe: () => Promise<unknown>
  /** The same in a cheap way, while the stream is silent. Without it, silence means nothing. */
  readonly isThere?: IsThere
  /** The `seq` of an event after the cursor, past the stream. Undefined if there is none, or if it cannot be told. */
  readonly findNext?: (cursor: number, signal: AbortSignal) => Promise<number | undefined>
}

/** So long events are collected. */
export const portionMs = 100
const firstDelayMs = 500
/** The page should be right soon after the service is back. */
const longestDelayMs = 3_000
const longestRetryAfterSeconds = 60
/** So long the stream may take to deliver an event that the service has. */
export const lateMs = 2_000

/** These do not pass by themselves. Any other answer may be that of a proxy on the way. */
const finalStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 404])
const isFinal = (error: unknown) => error instanceof RunwrightError && finalStatuses.has(error.status)

const delayMs = (failures: number, error: unknown): number => {
  const wanted = error instanceof RunwrightError ? (error.retryAfter ?? 0) : 0
  const backoff = Math.min(longestDelayMs, firstDelayMs * 2 ** failures)
  return Math.max(backoff, Math.min(wanted, longestRetryAfterSeconds) * 1_000)
}

export class RunFollower {
  readonly #source: RunSource
  readonly #listeners = new Set<() => void>()
  readonly #events: RunEvent[] = []
  readonly #teller = new StoryTeller()
  #snapshot: FollowedRun = {
    events: this.#events,
    count: 0,
    story: this.#teller.story(),
    connection: { kind: 'connecting' },
  }
  #timer: ReturnType<typeof setTimeout> | undefined
  #controller: AbortController | undefined
  /** In a row: an event begins a new row. */
  #failures = 0

  constructor(source: RunSource) {
    this.#source = source
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): FollowedRun => this.#snapshot

  readonly start = (): void => {
    this.stop()
    const controller = new AbortController()
    this.#controller = controller
    this.#failures = 0
    this.#publish({ kind: 'connecting' })
    void this.#follow(controller.signal)
  }

  readonly stop = (): void => {
    this.#controller?.abort()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let error = await this.#readStream(signal)
    while (error !== undefined && !signal.aborted) {
      if (isFinal(error)) return this.#publish({ kind: 'broken', error })
      if (this.#snapshot.connection.kind !== 'reconnecting') this.#publish({ kind: 'reconnecting' })
      await pause(delayMs(this.#failures, error), signal)
      this.#failures += 1
      error = signal.aborted ? undefined : await this.#reconnect(signal)
    }
  }

  /** Returns the error that ended the stream, or undefined if the run has ended. */
  async #readStream(signal: AbortSignal): Promise<unknown> {
    const own = new AbortController()
    const both = AbortSignal.any([signal, own.signal])
    const { isThere } = this.#source
    const silence = new SilenceWatch(
      own,
      isThere && ((asked) => Promise.all([isThere(asked), this.#checkDelivery(asked)])),
    )
    const onOpen = () => {
      if (!both.aborted && this.#snapshot.connection.kind !== 'live') this.#publish({ kind: 'live' })
    }
    try {
      for await (const event of this.#source.open(this.#lastSeq, { signal: both, onOpen })) {
        if (both.aborted) break
        silence.heard()
        this.#take(event)
      }
      if (own.signal.aborted) return own.signal.reason
      if (!signal.aborted) this.#publish({ kind: 'ended' })
      return undefined
    } catch (error) {
      return own.signal.aborted ? own.signal.reason : error
    } finally {
      silence.stop()
      own.abort()
    }
  }

  /** A stream that does not deliver what the service has is as dead as one without a service. */
  async #checkDelivery(signal: AbortSignal): Promise<void> {
    const next = await this.#source.findNext?.(this.#lastSeq, signal)
    if (next === undefined || next <= this.#lastSeq) return
    await pause(lateMs, signal)
    if (next > this.#lastSeq) throw new RunwrightError('The event stream does not deliver the events of the run')
  }

  async #reconnect(signal: AbortSignal): Promise<unknown> {
    try {
      await this.#source.probe()
    } catch (error) {
      return error
    }
    return signal.aborted ? undefined : this.#readStream(signal)
  }

  get #lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0
  }

  #take(event: RunEvent): void {
    this.#failures = 0
    this.#events.push(event)
    this.#teller.add(event)
    this.#timer ??= setTimeout(() => this.#publish({ kind: 'live' }), portionMs)
  }

  #publish(connection: Connection): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#snapshot = { events: this.#events, count: this.#events.length, story: this.#teller.story(), connection }
    for (const listener of this.#listeners) listener()
  }
}
