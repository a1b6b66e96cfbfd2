// One open stream of the events of all runs of a customer: reads from its position, as fast as its client reads.
import type { ServerResponse } from 'node:http'
import { sseEventName, ssePositionName } from '@runwright/contract'
import type { Principal, TokenClaims } from '../../domain/principal.ts'
import { toWireId } from '../../runtime/ids.ts'
import { isBusy } from '../../store/postgres/errors.ts'
import type { CustomerEvent, CustomerPosition, Horizon } from '../../store/runs/customer-events.ts'
import { eventFields } from '../routes/event-text.ts'
import { cursorOf } from './customer-cursor.ts'
import type { OpenStream } from './open-streams.ts'
import { SseResponse, type StreamTimes } from './sse-response.ts'

export interface CustomerRead {
  /** None: the client has got all events before the horizon. */
  readonly events: readonly CustomerEvent[]
  readonly horizon: Horizon
}

interface CustomerStreamOptions {
  readonly principal: Pick<Principal, 'keyId' | 'customerId' | 'sessionId' | 'token'>
  readonly requestId: string
  readonly position: CustomerPosition
  readonly read: (after: CustomerPosition) => Promise<CustomerRead>
}

/** In case the message about a change was lost. */
const maxPauseMs = 5_000
/** Times of events have milliseconds. */
const roundingMs = 2

export class CustomerStream implements OpenStream {
  readonly keyId: string
  readonly customerId: string
  readonly sessionId: string | undefined
  readonly token: TokenClaims | undefined
  readonly #read: CustomerStreamOptions['read']
  readonly #response: SseResponse
  #position: CustomerPosition
  /** When the last change was noted that may not be covered by a read. */
  #changedAt: number | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #isReading = false
  #isOver = false

  constructor(response: ServerResponse, { principal, requestId, position, read }: CustomerStreamOptions) {
    this.keyId = principal.keyId
    this.customerId = principal.customerId
    this.sessionId = principal.sessionId
    this.token = principal.token
    this.#read = read
    this.#position = position
    this.#response = new SseResponse(response, { requestId, onDrain: () => undefined })
    // A client that loses the connection before the first event continues from here.
    this.#response.write(`id: ${cursorOf(position)}\nevent: ${ssePositionName}\ndata: {}\n\n`)
  }

  noteChange(now: number = performance.now()): void {
    this.#changedAt = now
  }

  /** Reads if something may be there that the client has not got. */
  async readIfDue(now: number = performance.now()): Promise<void> {
    const pauseMs = this.#changedAt === undefined ? maxPauseMs : 0
    if (this.#isOver || this.#isReading || this.#response.isBlocked || now - this.#readAt < pauseMs) return
    this.#isReading = true
    try {
      while (await this.#readOnce());
    } catch (error) {
      // A process that is too busy for the read tries it again.
      if (!isBusy(error)) this.fail(error)
    } finally {
      this.#isReading = false
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#response.fail(error)
  }

  /** It has no idle timeout: a customer without events is worth following too. */
  tick(times: StreamTimes, now: number): void {
    this.#response.tick(times, now)
  }

  /** The client has left. */
  end(): void {
    this.#isOver = true
  }

  /** Whether there may be more, and the client has read what was sent. */
  async #readOnce(): Promise<boolean> {
    this.#readAt = performance.now()
    const { events, horizon } = await this.#read(this.#position)
    if (this.#isOver) return false
    const last = events.at(-1)
    if (!last) {
      this.#noteCovered(this.#readAt - horizon.lagMs - roundingMs)
      return false
    }
    this.#position = positionOf(last)
    // There may be more: if the client is slow, it is read when the client has caught up.
    this.#changedAt ??= this.#readAt
    this.#response.write(events.map(messageOf).join(''))
    return !this.#response.isBlocked
  }

  /** All that was committed before this time has been sent. */
  #noteCovered(until: number): void {
    if (this.#changedAt !== undefined && this.#changedAt < until) this.#changedAt = undefined
  }
}

const positionOf = ({ at, runId, seq }: CustomerEvent): CustomerPosition => ({ atMs: at.getTime(), runId, seq })

const messageOf = (event: CustomerEvent): string =>
  `id: ${cursorOf(positionOf(event))}\nevent: ${sseEventName}\ndata: ${customerEventText(event)}\n\n`

const customerEventText = (event: CustomerEvent): string =>
  `{"run_id":"${toWireId('run', event.runId)}",${eventFields(event)}}`
