// Google's error body, and its words for a request of the wrong shape.
import { Refusal } from '../refusal.ts'
import type { Fail, Failure, JsonObject } from '../script.ts'
import { bracketPath, type ShapeProblem } from '../shape.ts'
import type { IncomingCall, PlainAnswer, ProviderOptions } from '../wire-format.ts'

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const wrongKey = 'API key not valid. Please pass a valid API key.'

const failures: Record<Failure, readonly [status: number, message: string]> = {
  rate_limited: [429, 'Resource has been exhausted (e.g. check quota).'],
  quota_spent: [429, 'You exceeded your current quota, please check your plan and billing details.'],
  overloaded: [503, 'The model is overloaded. Please try again later.'],
  server_error: [500, 'An internal error has occurred.'],
  unavailable: [503, 'The service is currently unavailable.'],
  context_too_long: [400, 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).'],
  unknown_model: [404, 'models/not-a-model is not found for API version v1beta.'],
  // Google answers 400 here; only the reason in the details tells it from a bad request.
  wrong_key: [400, wrongKey],
  forbidden: [403, 'The caller does not have permission.'],
  bad_request: [400, 'Request contains an invalid argument.'],
}

const typeUrl = (name: string): string => `type.googleapis.com/google.rpc.${name}`

function errorBody(code: number, message: string, details: readonly JsonObject[] = []): JsonObject {
  const status = statusNames[code] ?? 'UNKNOWN'
  return { error: { code, message, status, ...(details.length > 0 && { details }) } }
}

const keyInvalid = { '@type': typeUrl('ErrorInfo'), reason: 'API_KEY_INVALID', domain: 'googleapis.com' }

function detailsOf({ failure, retryAfter }: Fail): JsonObject[] {
  const quota = { '@type': typeUrl('QuotaFailure'), violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }
  return [
    ...(failure === 'wrong_key' ? [keyInvalid] : []),
    ...(failure === 'quota_spent' ? [quota] : []),
    ...(retryAfter === undefined ? [] : [{ '@type': typeUrl('RetryInfo'), retryDelay: `${retryAfter}s` }]),
  ]
}

export function failureBody(fail: Fail): JsonObject | string {
  const [code, words] = failures[fail.failure]
  return fail.body ?? errorBody(fail.status ?? code, fail.message ?? words, detailsOf(fail))
}

export function writeFailure(fail: Fail): PlainAnswer {
  const retry = fail.retryAfter === undefined ? {} : { 'retry-after': `${fail.retryAfter}` }
  const status = fail.status ?? failures[fail.failure][0]
  return { status, headers: { ...retry, ...fail.headers }, body: failureBody(fail) }
}

export const writeRefusal = ({ status, message, code }: Refusal): JsonObject =>
  errorBody(status, message, code === 'API_KEY_INVALID' ? [keyInvalid] : [])

export function checkKey({ headers, url }: IncomingCall, { apiKey }: ProviderOptions): void {
  const key = headers['x-goog-api-key'] ?? url.searchParams.get('key')
  if (!key) {
    throw new Refusal("Method doesn't allow unregistered callers. Please use API Key to call this API.", {
      status: 403,
    })
  }
  if (apiKey !== undefined && key !== apiKey) throw new Refusal(wrongKey, { code: 'API_KEY_INVALID' })
}

/** As Google's parser names a field. */
const snake = (path: readonly (string | number)[]): string =>
  bracketPath(path).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function shapeRefusal({ kind, path, value, expected }: ShapeProblem): Refusal {
  const at = snake(path)
  const invalid = (rule: string) => new Refusal(`* GenerateContentRequest.${at}: ${rule}`)
  switch (kind) {
    case 'unknown': {
      const parent = snake(path.slice(0, -1))
      const where = parent === '' ? '' : ` at '${parent}'`
      return new Refusal(`Invalid JSON payload received. Unknown name "${path.at(-1)}"${where}: Cannot find field.`)
    }
    case 'missing':
      return invalid(`${path.at(-1)} is not specified`)
    case 'type':
    case 'value':
      return new Refusal(`Invalid value at '${at}', ${JSON.stringify(value)}. Expected ${expected}.`)
    case 'pattern':
      return invalid(`Invalid name. Expected ${expected}.`)
    case 'small':
      return invalid(`must be at least ${expected}`)
    case 'large':
      return invalid(`must be at most ${expected}`)
  }
}
