// Follows the events of a run and passes them to the page in batches, so that a fast stream does not render every
// event. It reconnects for ever: only a refusal, such as a revoked key, or the end of the run stops it. From any state,
// `start` continues after the last event.
import { type RunEvent, RunwrightError } from '@runwright/client'
import { pause } from '../parts/pause.ts'
import { type IsThere, SilenceWatch } from '../parts/silence-watch.ts'
import type { Story } from './story/story.ts'
import { StoryTeller } from './story/story-teller.ts'

export type Connection =
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

export interface RunSource {
  /** Ends when the run ends; throws if the stream fails. */
  readonly open: (cursor: number, signal: AbortSignal) => AsyncIterable<RunEvent>
  /** Resolves when the service answers again. */
  readonly probe: () => Promise<unknown>
  /** The same in a cheap way, while the stream is silent. Without it, silence means nothing. */
  readonly isThere?: IsThere
}

const portionMs = 100
const reconnectDelayMs = 500

/** These do not pass by themselves. Any other answer may be that of a proxy on the way. */
const finalStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 404])
const isFinal = (error: unknown) => error instanceof RunwrightError && finalStatuses.has(error.status)

export class RunFollower {
  readonly #source: RunSource
  readonly #listeners = new Set<() => void>()
  readonly #events: RunEvent[] = []
  readonly #teller = new StoryTeller()
  #snapshot: FollowedRun = { events: this.#events, count: 0, story: this.#teller.story(), connection: { kind: 'live' } }
  #timer: ReturnType<typeof setTimeout> | undefined
  #controller: AbortController | undefined

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
    this.#publish({ kind: 'live' })
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
      await pause(reconnectDelayMs, signal)
      error = signal.aborted ? undefined : await this.#reconnect(signal)
    }
  }

  /** Returns the error that ended the stream, or undefined if the run has ended. */
  async #readStream(signal: AbortSignal): Promise<unknown> {
    const own = new AbortController()
    const both = AbortSignal.any([signal, own.signal])
    const silence = new SilenceWatch(own, this.#source.isThere)
    try {
      for await (const event of this.#source.open(this.#events.at(-1)?.seq ?? 0, both)) {
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

  async #reconnect(signal: AbortSignal): Promise<unknown> {
    try {
      await this.#source.probe()
    } catch (error) {
      return error
    }
    if (signal.aborted) return undefined
    this.#publish({ kind: 'live' })
    return this.#readStream(signal)
  }

  #take(event: RunEvent): void {
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
