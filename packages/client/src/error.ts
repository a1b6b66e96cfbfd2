// The error class of the client: the service returned an error, or did not respond.
import type { ErrorBody, ErrorClass, ReasonCode } from './wire.ts'

export interface RunwrightErrorDetails {
  readonly status?: number | undefined
  readonly reasonCode?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

export class RunwrightError extends Error {
  override readonly name = 'RunwrightError'
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** The `reason_code` of the service; undefined if something else responded, such as a proxy. */
  readonly reasonCode: ReasonCode | (string & {}) | undefined
  readonly requestId: string | undefined
  /** The seconds to wait before the next attempt, from `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor(message: string, { status, reasonCode, requestId, retryAfter, cause }: RunwrightErrorDetails = {}) {
    super(message, { cause })
    this.status = status
    this.reasonCode = reasonCode
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** Statuses that a retry may resolve. 502 and 504 come from proxies. */
const transientStatuses: readonly number[] = [429, 500, 502, 503, 504]

export const isTransientStatus = (status: number) => transientStatuses.includes(status)

/** Whether a retry may succeed: there was no response, or its status is transient. */
export const isTransient = (error: unknown): error is RunwrightError =>
  error instanceof RunwrightError && (error.status === undefined || isTransientStatus(error.status))

/** The message of `fetch` says only that it failed; its cause says why. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === 'TimeoutError') return 'it did not answer in time'
  const inner = cause.cause instanceof Error ? cause.cause : cause
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : undefined
  if (code === 'ECONNREFUSED') return 'the connection is refused (ECONNREFUSED). Check that the service is running'
  if (code === 'ENOTFOUND') return 'the host name is not known (ENOTFOUND)'
  return inner.message || code || cause.message
}

/** There was no response. Only the origin of the URL is quoted: a path may contain a secret. */
export const errorOfNetwork = (cause: unknown, url: string): RunwrightError => {
  const where = URL.canParse(url) ? new URL(url).origin : 'the service'
  return new RunwrightError(`No response from ${where}: ${reasonOf(cause)}`, { cause })
}

/** The seconds of a `Retry-After` header, which is a number or a date. */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const milliseconds = Date.parse(value) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000))
}

const parseEnvelope = (text: string): Partial<ErrorBody> => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    // Not from the service, but for example an error page of a proxy.
    return {}
  }
}

/** A browser does not say where a redirect leads. Only the origin is quoted: a path may contain a secret. */
const redirectOf = ({ type, status, headers }: Response): string | undefined => {
  const location = headers.get('location')
  if (type !== 'opaqueredirect' && (status < 300 || status > 399 || location === null)) return undefined
  const target = location !== null && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return `The service redirects${target}. Redirects are not followed: set baseUrl to the URL of the service`
}

export const errorOfResponse = async (response: Response): Promise<RunwrightError> => {
  const redirect = redirectOf(response)
  if (redirect !== undefined) return new RunwrightError(redirect, { status: response.status })
  const { message, reason_code, request_id } = parseEnvelope(await response.text())
  return new RunwrightError(message ?? `The service returned HTTP status ${response.status}`, {
    status: response.status,
    reasonCode: reason_code,
    requestId: request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response.headers),
  })
}

const statusOfClass: Readonly<Record<string, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} satisfies Record<ErrorClass, number>

/** An error on an open stream has no HTTP status, only the envelope. */
export const errorOfEnvelope = (text: string): RunwrightError => {
  const { error, message, reason_code, request_id } = parseEnvelope(text)
  return new RunwrightError(message ?? 'The stream reported an error', {
    // The next connection has another token, or is refused: its answer decides.
    status: reason_code === 'TOKEN_EXPIRED' ? undefined : error && statusOfClass[error],
    reasonCode: reason_code,
    requestId: request_id,
  })
}
