// Sends a request to the service: takes path, query and body, returns a typed response or throws a RunwrightError.
import type { RetryPolicy } from './backoff.ts'
import { authorizer } from './credential.ts'
import { errorOfResponse, RunwrightError } from './error.ts'
import { type Fetch, withNetworkErrors, withNotice, withRetries, withWholeResponse } from './fetch-layers.ts'
import type { CheckedOptions } from './options.ts'

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, also while it waits for a retry. */
  readonly signal?: AbortSignal | undefined
  /** Your own correlation id; returned as `request_id`. */
  readonly requestId?: string | undefined
}

/** Options of calls that create or change something. */
export interface RepeatableCallOptions extends CallOptions {
  /** Default: a random key. It makes the retries of this call safe, but not a second call. */
  readonly idempotencyKey?: string | undefined
}

type QueryValue = string | number | boolean | readonly string[] | undefined

interface ApiRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: object | undefined
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
}

/** Encodes an id for a path. `.` and `..` would change the path, even encoded. */
export const pathSegment = (id: string): string => {
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`"${id}" is not a valid id`)
  return encodeURIComponent(id)
}

/** Not by a regular expression: /\/+$/ takes quadratic time on a text of slashes. */
export const withoutTrailingSlashes = (url: string): string => {
  let end = url.length
  while (url.endsWith('/', end)) end -= 1
  return url.slice(0, end)
}

const queryString = (query: object = {}) => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size > 0 ? `?${parameters}` : ''
}

const headersOf = ({ body, idempotencyKey, requestId }: ApiRequest, accept: string) => ({
  accept,
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
})

const initOf = (request: ApiRequest, accept: string): RequestInit => ({
  method: request.method ?? 'GET',
  headers: headersOf(request, accept),
  // The key and the body are for the service only, which itself never redirects.
  redirect: 'manual',
  ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  ...(request.signal ? { signal: request.signal } : {}),
})

const jsonOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RunwrightError('The response is not JSON. Check that baseUrl is the URL of the service.', {
      status: response.status,
      cause,
    })
  }
}

export class Transport {
  readonly retryPolicy: RetryPolicy
  readonly #baseUrl: string
  readonly #stream: Fetch
  readonly #call: Fetch
  readonly #probe: Fetch
  readonly #probeWithKey: Fetch

  #hasAnswered = false

  constructor({ baseUrl, credential, fetch: send, timeoutMs, givesUpEarly, ...retryPolicy }: CheckedOptions) {
    this.retryPolicy = { ...retryPolicy, ...(givesUpEarly && { hasAnswered: () => this.#hasAnswered }) }
    this.#baseUrl = withoutTrailingSlashes(baseUrl)
    const fetch = withNotice(send, () => {
      this.#hasAnswered = true
    })
    const authorize = authorizer(credential)
    this.#stream = authorize(withNetworkErrors(fetch))
    this.#probe = withRetries(withWholeResponse(fetch, timeoutMs), { ...retryPolicy, maxRetries: 0 })
    this.#probeWithKey = authorize(this.#probe)
    this.#call = authorize(withRetries(withWholeResponse(fetch, timeoutMs), this.retryPolicy))
  }

  /** For a stream whose caller may have set the number of retries. */
  streamPolicy(maxRetries: number | undefined): RetryPolicy {
    return maxRetries === undefined ? this.retryPolicy : { ...this.retryPolicy, maxRetries, hasAnswered: undefined }
  }

  /** Returns a JSON response, with retries. */
  async call<T>(request: ApiRequest): Promise<T> {
    const response = await this.#call(this.#urlOf(request), initOf(request, 'application/json'))
    if (!response.ok) throw await errorOfResponse(response)
    return (await jsonOf(response)) as T
  }

  /** The same for a POST, with an idempotency key: it is safe to retry. */
  post<T>(request: ApiRequest): Promise<T> {
    return this.call<T>({ ...request, method: 'POST', idempotencyKey: request.idempotencyKey ?? randomKey() })
  }

  /** Returns a response as text, with retries. */
  async text(request: ApiRequest, accept: string): Promise<string> {
    const response = await this.#call(this.#urlOf(request), initOf(request, accept))
    if (!response.ok) throw await errorOfResponse(response)
    return response.text()
  }

  /** A health probe: no retries. A 503 is a regular result if it has the fields of the probe. */
  async probe<T extends object>(request: ApiRequest, { withKey = false } = {}): Promise<T> {
    const send = withKey ? this.#probeWithKey : this.#probe
    const response = await send(this.#urlOf(request), initOf(request, 'application/json'))
    const error = await errorOfResponse(response.clone())
    if (!response.ok && response.status !== 503) throw error
    const body = (await jsonOf(response)) as T
    if (!response.ok && error.reasonCode && !('status' in body)) throw error
    return body
  }

  /** Opens an event stream, without retries: the caller reconnects. */
  async open(request: ApiRequest): Promise<Response> {
    const response = await this.#stream(this.#urlOf(request), initOf(request, 'text/event-stream'))
    if (!response.ok) throw await errorOfResponse(response)
    return response
  }

  #urlOf({ path, query }: ApiRequest) {
    return `${this.#baseUrl}${path}${queryString(query)}`
  }
}

/** Generates an idempotency key: 128 random bits. Unlike `randomUUID`, `getRandomValues` also works without HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
