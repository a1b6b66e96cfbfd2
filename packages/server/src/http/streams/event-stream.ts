// One open stream of the events of a run: writes events as fast as its client reads, and tracks idle time.
import type { ServerResponse } from 'node:http'
import { type EventType, sseEventName, terminalEventTypes } from '@runwright/contract'
import type { Principal, TokenClaims } from '../../domain/principal.ts'
import type { Follower } from '../../events/event-feed.ts'
import type { StoredEvent } from '../../store/run-log/run-change.ts'
import { eventText } from '../routes/event-text.ts'
import { SseResponse, type StreamTimes } from './sse-response.ts'

interface StreamOrigin {
  readonly principal: Pick<Principal, 'keyId' | 'customerId' | 'sessionId' | 'token'>
  readonly requestId: string
  readonly runEnded: boolean
  /** Is told how long after its commit an event was delivered, if it was committed while the stream was open. */
  readonly onDelivered?: ((lagMs: number) => void) | undefined
}

/** How much is written ahead of a slow client. The last event may exceed it. */
const maxUnreadBytes = 64 * 1024

const endsRun = (type: EventType): boolean => (terminalEventTypes as readonly EventType[]).includes(type)

export class EventStream {
  readonly keyId: string
  readonly customerId: string
  readonly sessionId: string | undefined
  readonly token: TokenClaims | undefined
  readonly #response: SseResponse
  #follower: Follower | undefined
  #runEnded: boolean
  #lastEventAt = performance.now()
  readonly #openedAt = Date.now()
  readonly #onDelivered: StreamOrigin['onDelivered']

  constructor(response: ServerResponse, from: StreamOrigin) {
    this.#response = new SseResponse(response, { requestId: from.requestId, onDrain: () => this.#follower?.resume() })
    this.keyId = from.principal.keyId
    this.customerId = from.principal.customerId
    this.sessionId = from.principal.sessionId
    this.token = from.principal.token
    this.#runEnded = from.runEnded
    this.#onDelivered = from.onDelivered
  }

  /** The source of the events, resumed when a slow client has caught up. */
  set follower(follower: Follower) {
    this.#follower = follower
  }

  /** Writes events while the client keeps up, and returns how many. The others are read again after a drain. */
  deliver(events: readonly StoredEvent[]): number {
    let text = ''
    let taken = 0
    for (const event of events) {
      if (this.#response.unreadBytes + text.length >= maxUnreadBytes) break
      text += messageOf(event)
      this.#runEnded = endsRun(event.type)
      taken += 1
    }
    if (taken === 0) return 0
    this.#lastEventAt = performance.now()
    this.#response.write(text)
    if (this.#onDelivered) this.#tellLag(events.slice(0, taken))
    return taken
  }

  /** By the clock of the database and that of this process, which may differ a little. */
  #tellLag(events: readonly StoredEvent[]): void {
    const oldest = events.find(({ at }) => at.getTime() >= this.#openedAt)
    if (oldest) this.#onDelivered?.(Math.max(0, Date.now() - oldest.at.getTime()))
  }

  /** Sends the error, then closes the stream. */
  fail(error: unknown): void {
    this.#response.fail(error)
  }

  /** Closes an idle stream; otherwise keeps it alive. */
  tick(times: StreamTimes, now: number = performance.now()): void {
    const idleMs = this.#runEnded ? Math.min(times.endedMs, times.idleMs) : times.idleMs
    if (!this.#response.isBlocked && now - this.#lastEventAt >= idleMs) this.#response.end()
    else this.#response.tick(times, now)
  }
}

const messageOf = (event: StoredEvent): string =>
  `id: ${event.seq}\nevent: ${sseEventName}\ndata: ${eventText(event)}\n\n`
