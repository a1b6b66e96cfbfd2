// One open SSE response: writes events as fast as its client reads, and tracks idle time.
import type { ServerResponse } from 'node:http'
import { type EventType, sseErrorName, sseEventName, terminalEventTypes } from '@runwright/contract'
import type { Principal } from '../../domain/principal.ts'
import type { Follower } from '../../events/event-feed.ts'
import type { StoredEvent } from '../../store/run-log/run-change.ts'
import { eventText } from '../routes/event-text.ts'
import { errorAnswer } from '../server/error-answer.ts'

export interface StreamTimes {
  readonly idleMs: number
  readonly keepAliveMs: number
  /** The idle timeout after the run has ended and all events were sent. */
  readonly endedMs: number
  /** How long a client may leave pending data unread. */
  readonly slowReaderMs: number
}

interface StreamOrigin {
  readonly principal: Pick<Principal, 'keyId' | 'customerId' | 'sessionId'>
  readonly requestId: string
  readonly runEnded: boolean
}

/** How much is written ahead of a slow client. The last event may exceed it. */
const maxUnreadBytes = 64 * 1024

const endsRun = (type: EventType): boolean => (terminalEventTypes as readonly EventType[]).includes(type)

export class EventStream {
  readonly keyId: string
  readonly customerId: string
  readonly sessionId: string | undefined
  readonly #response: ServerResponse
  readonly #requestId: string
  #follower: Follower | undefined
  #runEnded: boolean
  #lastEventAt = performance.now()
  #lastWriteAt = performance.now()
  #blockedSince: number | undefined

  constructor(response: ServerResponse, from: StreamOrigin) {
    this.#response = response
    this.keyId = from.principal.keyId
    this.customerId = from.principal.customerId
    this.sessionId = from.principal.sessionId
    this.#requestId = from.requestId
    this.#runEnded = from.runEnded
    response.on('drain', () => this.#unblock())
    this.#write('retry: 1000\n\n')
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
      if (this.#response.writableLength + text.length >= maxUnreadBytes) break
      text += messageOf(event)
      this.#runEnded = endsRun(event.type)
      taken += 1
    }
    if (taken === 0) return 0
    this.#lastEventAt = performance.now()
    this.#write(text)
    return taken
  }

  /** Sends the error, then closes the stream. */
  fail(error: unknown): void {
    const { body } = errorAnswer(error, { requestId: this.#requestId })
    this.#response.end(`event: ${sseErrorName}\ndata: ${JSON.stringify(body)}\n\n`)
  }

  /** Closes an idle stream, disconnects a client that does not read, and sends keep-alive comments. */
  tick(times: StreamTimes, now: number = performance.now()): void {
    const idleMs = this.#runEnded ? Math.min(times.endedMs, times.idleMs) : times.idleMs
    if (this.#blockedSince !== undefined) {
      if (now - this.#blockedSince >= times.slowReaderMs) this.#response.destroy()
    } else if (now - this.#lastEventAt >= idleMs) this.#response.end()
    else if (now - this.#lastWriteAt >= times.keepAliveMs) this.#write(': keep-alive\n\n')
  }

  #write(text: string): void {
    this.#lastWriteAt = performance.now()
    const flowing = this.#response.write(text)
    if (!flowing) this.#blockedSince ??= this.#lastWriteAt
  }

  #unblock(): void {
    this.#blockedSince = undefined
    this.#follower?.resume()
  }
}

const messageOf = (event: StoredEvent): string =>
  `id: ${event.seq}\nevent: ${sseEventName}\ndata: ${eventText(event)}\n\n`
