// The events of all runs as one sequence, over as many connections as needed. Every connection starts after the last
// message.
import { type RetryPolicy, retryDelayMs, sleep } from './backoff.ts'
import { errorOfEnvelope, isTransient, RunwrightError } from './error.ts'
import { readMessages } from './event-connection.ts'
import type { RunEvent } from './run-event.ts'
import type { ServerSentMessage } from './server-sent-events.ts'

/** An event of one of the runs. */
export type FollowedEvent = RunEvent & {
  readonly run_id: string
  /** Where to continue after this event. Store it when you have handled the event. */
  readonly cursor: string
}

interface FollowOptions {
  readonly open: (cursor: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly cursor: string | undefined
  readonly idleTimeoutMs: number
  readonly retryPolicy: RetryPolicy
  readonly signal: AbortSignal | undefined
}

const parseEvent = ({ data, id: cursor }: ServerSentMessage): FollowedEvent => {
  try {
    return { ...JSON.parse(data), cursor }
  } catch (cause) {
    throw new RunwrightError('The stream of events sent an event that is not JSON', { cause })
  }
}

export async function* followCustomer(options: FollowOptions): AsyncGenerator<FollowedEvent, void, undefined> {
  let { cursor } = options
  let failures = 0
  let retryHintMs = options.retryPolicy.initialDelayMs
  const onRetryHint = (milliseconds: number) => {
    retryHintMs = milliseconds
  }
  for (;;) {
    const open = (signal: AbortSignal) => options.open(cursor, signal)
    try {
      for await (const message of readMessages({ ...options, open, onRetryHint })) {
        if (message.event === 'error') throw errorOfEnvelope(message.data)
        failures = 0
        cursor = message.id || cursor
        if (message.event === 'run_event') yield parseEvent(message)
      }
      await sleep(retryHintMs, options.signal)
    } catch (error) {
      await sleep(delayAfter(error, failures, options), options.signal)
      failures += 1
    }
  }
}

function delayAfter(error: unknown, failures: number, { retryPolicy, signal }: FollowOptions): number {
  signal?.throwIfAborted()
  if (!isTransient(error)) throw error
  const delay = retryDelayMs(retryPolicy, failures, error.retryAfter)
  if (delay === undefined) throw error
  return delay
}
