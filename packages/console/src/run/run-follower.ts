// Follows the events of a run and passes them to the view in batches, so that a fast stream does not render every event.
// The state goes from live to ended (the run has ended) or broken (with an error). From any state, `start` continues
// after the last event.
import type { RunEvent } from '@runwright/client'

export type Connection =
  | { readonly is: 'live' }
  | { readonly is: 'ended' }
  | { readonly is: 'broken'; readonly error: unknown }

export interface FollowedRun {
  readonly events: readonly RunEvent[]
  readonly connection: Connection
}

/** Ends when the run ends; throws if the stream fails. */
export type OpenStream = (cursor: number, signal: AbortSignal) => AsyncIterable<RunEvent>

const portionMs = 100

export class RunFollower {
  readonly #open: OpenStream
  readonly #listeners = new Set<() => void>()
  #snapshot: FollowedRun = { events: [], connection: { is: 'live' } }
  #pending: RunEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #controller: AbortController | undefined

  constructor(open: OpenStream) {
    this.#open = open
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
    this.#publish({ is: 'live' })
    void this.#follow(controller.signal)
  }

  readonly stop = (): void => {
    this.#controller?.abort()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of this.#open(this.#lastSeq(), signal)) {
        if (signal.aborted) return
        this.#pending.push(event)
        this.#timer ??= setTimeout(() => this.#publish({ is: 'live' }), portionMs)
      }
      if (!signal.aborted) this.#publish({ is: 'ended' })
    } catch (error) {
      if (!signal.aborted) this.#publish({ is: 'broken', error })
    }
  }

  #lastSeq(): number {
    return (this.#pending.at(-1) ?? this.#snapshot.events.at(-1))?.seq ?? 0
  }

  #publish(connection: Connection): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { events } = this.#snapshot
    this.#snapshot = { connection, events: this.#pending.length > 0 ? [...events, ...this.#pending] : events }
    this.#pending = []
    for (const listener of this.#listeners) listener()
  }
}
