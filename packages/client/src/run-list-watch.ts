// A list of runs that stays current: the first page, then the page after each change, over as many connections as
// needed.
import { backoffMs, type RetryPolicy, sleep } from './backoff.ts'
import { errorOfEnvelope, isTransient, RunwrightError } from './error.ts'
import { readMessages } from './event-connection.ts'
import type { ServerSentMessage } from './server-sent-events.ts'
import type { ListedRun, RunsChanged, RunsPage } from './wire.ts'

interface WatchOptions {
  readonly open: (signal: AbortSignal) => Promise<Response>
  readonly signal: AbortSignal | undefined
  readonly idleTimeoutMs: number
  readonly retryPolicy: RetryPolicy
  readonly onReconnect: ((error: unknown) => void) | undefined
}

/** A page that people look at should be current soon after the service is back. */
const longestDelayMs = 3_000

const parse = <T>(data: string): T => {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new RunwrightError('The stream of runs sent a message that is not JSON', { cause })
  }
}

/** Newest first, as in the list. */
const byAge = (one: ListedRun, other: ListedRun): number => {
  const [a, b] = [one.metadata.created_at, other.metadata.created_at]
  return (a === b ? one.id < other.id : a < b) ? 1 : -1
}

const changed = ({ runs }: RunsPage, { put, gone, next_cursor }: RunsChanged): RunsPage => {
  const replaced = new Set([...gone, ...put.map(({ id }) => id)])
  return { runs: [...runs.filter(({ id }) => !replaced.has(id)), ...put].sort(byAge), next_cursor }
}

/** Undefined for a message type that this client does not know. */
const nextPage = (page: RunsPage | undefined, { event, data }: ServerSentMessage): RunsPage | undefined => {
  if (event === 'error') throw errorOfEnvelope(data)
  if (event === 'runs.page') return parse<RunsPage>(data)
  return event === 'runs.changed' && page ? changed(page, parse<RunsChanged>(data)) : undefined
}

export async function* watchRunList(options: WatchOptions): AsyncGenerator<RunsPage, void, undefined> {
  let failures = 0
  for (;;) {
    let page: RunsPage | undefined
    let error: unknown
    try {
      for await (const message of readMessages({ ...options, onRetryHint: () => undefined })) {
        const next = nextPage(page, message)
        if (!next) continue
        page = next
        failures = 0
        yield page
      }
    } catch (cause) {
      options.signal?.throwIfAborted()
      if (!isTransient(cause)) throw cause
      error = cause
    }
    options.onReconnect?.(error)
    await sleep(delayMs(options.retryPolicy, failures, error), options.signal)
    failures += 1
  }
}

const delayMs = (policy: RetryPolicy, failures: number, error: unknown): number => {
  const delay = Math.min(longestDelayMs, backoffMs(policy, failures))
  return Math.max(delay, error instanceof RunwrightError ? (error.retryAfter ?? 0) * 1000 : 0)
}
