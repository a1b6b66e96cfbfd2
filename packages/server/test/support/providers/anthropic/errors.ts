// Anthropic's error body, and its words for a request of the wrong shape.
import { issueId } from '../ids.ts'
import { Refusal } from '../refusal.ts'
import type { Fail, Failure, JsonObject } from '../script.ts'
import { dottedPath, type ShapeProblem } from '../shape.ts'
import type { IncomingCall, PlainAnswer, ProviderOptions } from '../wire-format.ts'

const failures: Record<Failure, readonly [status: number, type: string, message: string]> = {
  rate_limited: [429, 'rate_limit_error', 'This request would exceed your rate limit. Please try again later.'],
  // Anthropic answers 400 here, and only the words tell it from a bad request.
  quota_spent: [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'],
  overloaded: [529, 'overloaded_error', 'Overloaded'],
  server_error: [500, 'api_error', 'Internal server error'],
  unavailable: [503, 'api_error', 'Service unavailable'],
  context_too_long: [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
  unknown_model: [404, 'not_found_error', 'model: not-a-model'],
  wrong_key: [401, 'authentication_error', 'invalid x-api-key'],
  forbidden: [403, 'permission_error', 'Your API key does not have permission to use the specified resource.'],
  bad_request: [400, 'invalid_request_error', 'The request is not valid.'],
}

const errorBody = (type: string, message: string): JsonObject => ({
  type: 'error',
  error: { type, message },
  request_id: issueId('req_'),
})

export function failureBody({ failure, message, body }: Fail): JsonObject | string {
  const [, type, words] = failures[failure]
  return body ?? errorBody(type, message ?? words)
}

export function writeFailure(fail: Fail): PlainAnswer {
  const retry = fail.retryAfter === undefined ? {} : { 'retry-after': `${fail.retryAfter}` }
  const status = fail.status ?? failures[fail.failure][0]
  return { status, headers: { ...retry, ...fail.headers }, body: failureBody(fail) }
}

export const writeRefusal = ({ message, type = 'invalid_request_error' }: Refusal): JsonObject =>
  errorBody(type, message)

// The version history in the reference, and the one that Anthropic's own SDK sends.
const versions = ['2023-01-01', '2023-06-01', '2026-10-21']

export function checkHeaders({ headers }: IncomingCall, { apiKey }: ProviderOptions): void {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
  const key = headers['x-api-key'] ?? bearer
  const unauthorized = { status: 401, type: 'authentication_error' }
  if (key === undefined || key === '') throw new Refusal('x-api-key header is required', unauthorized)
  if (apiKey !== undefined && key !== apiKey) throw new Refusal('invalid x-api-key', unauthorized)
  const version = headers['anthropic-version']
  if (version === undefined) throw new Refusal('anthropic-version: header is required')
  if (!versions.includes(String(version))) throw new Refusal(`anthropic-version: "${version}" is not a valid version`)
}

export function shapeRefusal({ kind, path, value, expected }: ShapeProblem): Refusal {
  const at = dottedPath(path)
  switch (kind) {
    case 'missing':
      return new Refusal(`${at}: Field required`)
    case 'unknown':
      return new Refusal(`${at}: Extra inputs are not permitted`)
    case 'type':
      return new Refusal(`${at}: Input should be a valid ${expected}`)
    case 'pattern':
      return new Refusal(`${at}: String should match pattern ${expected}`)
    case 'value':
      return new Refusal(`${at}: Input ${JSON.stringify(value)} does not match the expected values: ${expected}`)
    case 'small':
      return new Refusal(`${at}: Input should be greater than or equal to ${expected}`)
    case 'large':
      return new Refusal(`${at}: Input should be less than or equal to ${expected}`)
  }
}
