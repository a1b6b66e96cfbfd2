// Polls that wait for the next event of a run. While it waits, a poll counts as an open stream.
import type { TokenClaims } from '../../domain/principal.ts'
import { type RunState, terminalStates } from '../../domain/run/states.ts'
import type { EventFeed } from '../../events/event-feed.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { StoredEvent } from '../../store/run-log/run-change.ts'
import { findEvents, findHeadAndEvents } from '../../store/runs/events.ts'
import type { EventPoll } from '../routes/events.ts'
import type { OpenStream, OpenStreams } from './open-streams.ts'
import type { StreamTimes } from './sse-response.ts'

interface EventWaitsOptions {
  readonly database: Database
  readonly feed: EventFeed
  readonly open: OpenStreams
}

export class EventWaits {
  readonly #options: EventWaitsOptions

  constructor(options: EventWaitsOptions) {
    this.#options = options
  }

  /** Events after a cursor, none if the time is up; undefined when the customer has no such run. */
  async findEvents(poll: EventPoll): Promise<readonly StoredEvent[] | undefined> {
    const { database } = this.#options
    const run = { customerId: poll.principal.customerId, id: poll.runId }
    if (poll.waitMs === 0) return findEvents(database, run, poll)
    this.#options.open.refuseOverLimit(poll.principal)
    const wait = new EventWait(poll)
    // Registered before the read, so no event is missed between the two.
    const follower = this.#options.feed.followAfterRead({ ...poll, customerId: run.customerId, ...wait.reader })
    try {
      const head = await findHeadAndEvents(database, run, poll)
      if (!head || head.events.length > 0 || terminalStates.includes(head.state as RunState)) return head?.events
      follower.endRead([], true)
      await this.#until(wait, poll)
    } finally {
      follower.stop()
    }
    return findEvents(database, run, poll)
  }

  async #until(wait: EventWait, { principal, request }: EventPoll): Promise<void> {
    const { open } = this.#options
    // Again, after the last await: requests that came meanwhile have passed the first check too.
    open.refuseOverLimit(principal)
    const end = open.keep(wait)
    const leave = () => wait.end()
    request.socket.once('close', leave)
    try {
      await wait.over
    } finally {
      request.socket.off('close', leave)
      end()
    }
  }
}

/** Is over when an event arrives, the time is up, the client has left, the key ends or the service stops. */
class EventWait implements OpenStream {
  readonly keyId: string
  readonly customerId: string
  readonly sessionId: string | undefined
  readonly token: TokenClaims | undefined
  readonly over: Promise<void>
  readonly #dueAt: number
  #resolve: () => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  constructor({ principal, waitMs }: Pick<EventPoll, 'principal' | 'waitMs'>) {
    this.keyId = principal.keyId
    this.customerId = principal.customerId
    this.sessionId = principal.sessionId
    this.token = principal.token
    this.#dueAt = performance.now() + waitMs
    this.over = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A failure before the wait has begun is that of the read.
    this.over.catch(() => undefined)
  }

  /** The events are read again, with the limits of a page. */
  get reader(): { deliver: (events: readonly StoredEvent[]) => number; fail: (error: unknown) => void } {
    return {
      deliver: (events) => {
        this.end()
        return events.length
      },
      fail: (error) => this.fail(error),
    }
  }

  end(): void {
    this.#resolve()
  }

  fail(error: unknown): void {
    this.#reject(error)
  }

  tick(_times: StreamTimes, now: number): void {
    if (now >= this.#dueAt) this.end()
  }
}
