// The events of a run: one page at a time, or as a stream that reconnects automatically.

import { type FollowedEvent, followCustomer } from './customer-events.ts'
import { EventStream } from './event-stream.ts'
import { isTerminalStatus, type RunEvent } from './run-event.ts'
import { type CallOptions, pathSegment, type Transport } from './transport.ts'
import type { EventPage, Run } from './wire.ts'

export interface PollOptions extends CallOptions {
  /** The last `seq` you have seen. Default: 0, the beginning. */
  readonly cursor?: number | undefined
  /** 1 to 200. */
  readonly limit?: number | undefined
  /** How many seconds to wait for an event if there is none after `cursor`: 0 to 25. */
  readonly wait?: number | undefined
}

export interface StreamOptions extends CallOptions {
  /** The last `seq` you have seen. Default: 0, the beginning. */
  readonly cursor?: number | undefined
  /** Continue after the run has ended, in case it is retried. */
  readonly keepOpen?: boolean | undefined
  /** How many attempts in a row may fail before the error is thrown. Default: that of the client. */
  readonly maxRetries?: number | undefined
  /** A connection without data for this long counts as dead. Default: 60,000. The service sends data every 15 s. */
  readonly idleTimeoutMs?: number | undefined
  /** Called when a connection is open: the service has answered, and sends the events from now on. */
  readonly onOpen?: (() => void) | undefined
}

export interface StreamAllOptions extends Omit<StreamOptions, 'cursor' | 'keepOpen' | 'onOpen'> {
  /** The `cursor` of the last event that you have handled. Default: from now on. */
  readonly cursor?: string | undefined
}

/** A page whose events have the payload of their type. */
export type RunEventPage = Omit<EventPage, 'events'> & { readonly events: RunEvent[] }

export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async poll(runId: string, { cursor, limit, wait, ...options }: PollOptions = {}): Promise<RunEventPage> {
    return this.#transport.call({ ...options, path: `${runPath(runId)}/events`, query: { cursor, limit, wait } })
  }

  /** Yields every event once and in order, until the run has ended. */
  async *stream(runId: string, options: StreamOptions = {}): AsyncGenerator<RunEvent, void, undefined> {
    yield* new EventStream(this.#feed(runId, options), {
      cursor: options.cursor ?? 0,
      keepOpen: options.keepOpen ?? false,
      idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
      retryPolicy: this.#transport.streamPolicy(options.maxRetries),
      signal: options.signal,
    }).events()
  }

  /** Yields the events of all runs: those of each run once and in order. It never ends by itself. */
  async *streamAll(options: StreamAllOptions = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    const { cursor, requestId, signal } = options
    yield* followCustomer({
      open: (from, both) =>
        this.#transport.open({ requestId, signal: both, path: '/v1/events/stream', query: { cursor: from } }),
      cursor,
      idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
      retryPolicy: this.#transport.streamPolicy(options.maxRetries),
      signal,
    })
  }

  #feed(runId: string, { signal, requestId, onOpen }: StreamOptions) {
    const path = runPath(runId)
    return {
      open: async (cursor: number, both: AbortSignal) => {
        const request = { requestId, signal: both, path: `${path}/events/stream`, query: { cursor } }
        const response = await this.#transport.open(request)
        onOpen?.()
        return response
      },
      isCaughtUp: async (cursor: number) => {
        const { events } = await this.poll(runId, { cursor, limit: 1, signal, requestId })
        return events.length === 0
      },
      hasEnded: async () => isTerminalStatus((await this.#transport.call<Run>({ signal, requestId, path })).status),
    }
  }
}

const runPath = (runId: string) => `/v1/runs/${pathSegment(runId)}`
