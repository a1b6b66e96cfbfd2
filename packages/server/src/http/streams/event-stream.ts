// One open SSE response: what was written when, whether its reader keeps up, and when it has been idle long enough.
import type { ServerResponse } from 'node:http'
import { type EventType, sseErrorName, sseEventName, terminalEventTypes } from '@runwright/contract'
import type { Follower } from '../../events/event-feed.ts'
import type { StoredEvent } from '../../store/run-log/run-change.ts'
import { eventText } from '../routes/event-text.ts'
import { errorAnswer } from '../server/error-answer.ts'

export interface StreamTimes {
  readonly idleMs: number
  readonly keepAliveMs: number
  /** Idle time once the run has ended and all was sent. */
  readonly endedMs: number
  /** How long a reader may take nothing while there is something for it. */
  readonly slowReaderMs: number
}

const endsRun = (type: EventType): boolean => (terminalEventTypes as readonly EventType[]).includes(type)

export class EventStream {
  readonly keyId: string
  readonly #response: ServerResponse
  readonly #requestId: string
  #follower: Follower | undefined
  #runEnded: boolean
  #lastEventAt = performance.now()
  #lastWriteAt = performance.now()
  #blockedSince: number | undefined

  constructor(response: ServerResponse, from: { keyId: string; requestId: string; runEnded: boolean }) {
    this.#response = response
    this.keyId = from.keyId
    this.#requestId = from.requestId
    this.#runEnded = from.runEnded
    response.on('drain', () => this.#unblock())
    this.#write('retry: 1000\n\n')
  }

  /** The follower feeds `deliver` and is resumed when a slow reader has caught up. */
  set follower(follower: Follower) {
    this.#follower = follower
  }

  deliver(events: readonly StoredEvent[]): boolean {
    this.#lastEventAt = performance.now()
    const newest = events.at(-1)
    if (newest) this.#runEnded = endsRun(newest.type)
    return this.#write(events.map(messageOf).join(''))
  }

  /** Says why, then closes. */
  fail(error: unknown): void {
    const { body } = errorAnswer(error, { requestId: this.#requestId })
    this.#response.end(`event: ${sseErrorName}\ndata: ${JSON.stringify(body)}\n\n`)
  }

  /** Closes what is idle, cuts off who does not read, keeps proxies awake. */
  tick(times: StreamTimes, now: number = performance.now()): void {
    const idleMs = this.#runEnded ? Math.min(times.endedMs, times.idleMs) : times.idleMs
    if (this.#blockedSince !== undefined) {
      if (now - this.#blockedSince >= times.slowReaderMs) this.#response.destroy()
    } else if (now - this.#lastEventAt >= idleMs) this.#response.end()
    else if (now - this.#lastWriteAt >= times.keepAliveMs) this.#write(': keep-alive\n\n')
  }

  #write(text: string): boolean {
    this.#lastWriteAt = performance.now()
    const flowing = this.#response.write(text)
    if (!flowing) this.#blockedSince ??= this.#lastWriteAt
    return flowing
  }

  #unblock(): void {
    this.#blockedSince = undefined
    this.#follower?.resume()
  }
}

const messageOf = (event: StoredEvent): string =>
  `id: ${event.seq}\nevent: ${sseEventName}\ndata: ${eventText(event)}\n\n`
