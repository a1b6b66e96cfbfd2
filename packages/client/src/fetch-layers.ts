// Wrappers around `fetch` with the same signature: authentication, a timeout for the whole response, and retries.
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

/** Reads the body too, so that a connection lost in the middle of it counts as a failed attempt. */
export const withWholeResponse =
  (inner: Fetch, timeoutMs: number): Fetch =>
  async (input, init) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline
    const response = await inner(input, { ...init, signal })
    // A browser hides a redirect: its status is 0, which no other response can have.
    if (response.status === 0) return response
    const body = await response.arrayBuffer()
    const { status, statusText, headers } = response
    return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers })
  }

/** Whether the request can be sent twice: its method sets or reads something, or it has an idempotency key. */
const isRepeatable = (init: RequestInit | undefined) =>
  ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'].includes(init?.method ?? 'GET') ||
  new Headers(init?.headers).has('idempotency-key')

const noResponse = (cause: unknown) =>
  new RunwrightError(`No response from the service: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  })

/** Returns a network error as a value; throws if the caller aborted. */
const attempt = async (inner: Fetch, ...[input, init]: Parameters<Fetch>): Promise<Response | RunwrightError> => {
  try {
    return await inner(input, init)
  } catch (error) {
    init?.signal?.throwIfAborted()
    return noResponse(error)
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

/** Retries repeatable requests after transient failures. Returns the last response or throws the last error. */
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
