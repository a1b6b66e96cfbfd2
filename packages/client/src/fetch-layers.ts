// Layers around `fetch`, each of its type: a key for every request, whole answers within a time, and retries.
import { type RetryPolicy, retryDelayMs, sleep } from './backoff.ts'
import { isTransientStatus, RunwrightError, retryAfterOf } from './error.ts'

export type Fetch = typeof fetch

export type ApiKey = string | (() => string | Promise<string>)

export const withApiKey =
  (inner: Fetch, apiKey: ApiKey): Fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`)
    return inner(input, { ...init, headers })
  }

/** Reads the body too, so that a connection that breaks in the middle of it counts as a failed attempt. */
export const withWholeAnswer =
  (inner: Fetch, timeoutMs: number): Fetch =>
  async (input, init) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline
    const response = await inner(input, { ...init, signal })
    const body = await response.arrayBuffer()
    const { status, statusText, headers } = response
    return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers })
  }

/** A request that may be sent twice: by its method, or since its key tells the service that it is the same one. */
const isRepeatable = (init: RequestInit | undefined) =>
  ['GET', 'HEAD', 'PUT', 'DELETE'].includes(init?.method ?? 'GET') || new Headers(init?.headers).has('idempotency-key')

const noAnswer = (cause: unknown) =>
  new RunwrightError(`No answer from the service: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })

/** A failure of the network as a value; what the caller aborted stays an exception. */
const attempt = async (inner: Fetch, ...[input, init]: Parameters<Fetch>): Promise<Response | RunwrightError> => {
  try {
    return await inner(input, init)
  } catch (error) {
    init?.signal?.throwIfAborted()
    return noAnswer(error)
  }
}

const isFinal = (outcome: Response | RunwrightError) =>
  outcome instanceof Response && !isTransientStatus(outcome.status)

const retryAfter = (outcome: Response | RunwrightError) =>
  outcome instanceof Response ? retryAfterOf(outcome.headers) : undefined

const unwrap = (outcome: Response | RunwrightError): Response => {
  if (outcome instanceof RunwrightError) throw outcome
  return outcome
}

/** Repeats what may be repeated as long as the failure may pass; then the last answer, or the last error, is the result. */
export const withRetries =
  (inner: Fetch, policy: RetryPolicy): Fetch =>
  async (input, init) => {
    const own = isRepeatable(init) ? policy : { ...policy, maxRetries: 0 }
    for (let retries = 0; ; retries += 1) {
      const outcome = await attempt(inner, input, init)
      const delay = isFinal(outcome) ? undefined : retryDelayMs(own, retries, retryAfter(outcome))
      if (delay === undefined) return unwrap(outcome)
      await sleep(delay, init?.signal)
    }
  }
