// Wrappers around `fetch` with the same signature: authentication, a timeout for the whole response, and retries.
import { type RetryPolicy, retryDelayMs, sleep } from './backoff.ts'
import { errorOfNetwork, isTransientStatus, RunwrightError, retryAfterOf } from './error.ts'

export type Fetch = typeof fetch

export type ApiKey = string | (() => string | Promise<string>)

export const withApiKey =
  (inner: Fetch, apiKey: ApiKey): Fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`)
    return inner(input, { ...init, headers })
  }

/** Calls `onAnswer` when anything has answered, whatever it says. */
export const withNotice =
  (inner: Fetch, onAnswer: () => void): Fetch =>
  async (input, init) => {
    const response = await inner(input, init)
    onAnswer()
    return response
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

/** Network errors become a RunwrightError that names the address. The reason of a caller's abort stays as it is. */
export const withNetworkErrors =
  (inner: Fetch): Fetch =>
  async (input, init) => {
    try {
      return await inner(input, init)
    } catch (error) {
      init?.signal?.throwIfAborted()
      throw errorOfNetwork(error, String(input))
    }
  }

/** Returns a network error as a value; throws if the caller aborted. */
const attempt = async (inner: Fetch, ...[input, init]: Parameters<Fetch>): Promise<Response | RunwrightError> => {
  try {
    return await withNetworkErrors(inner)(input, init)
  } catch (error) {
    if (error instanceof RunwrightError) return error
    throw error
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
