// OpenAI's error body, and its words for a request of the wrong shape; chat completions and responses share them.
import { Refusal } from './refusal.ts'
import type { Fail, Failure, JsonObject } from './script.ts'
import { bracketPath, type ShapeProblem } from './shape.ts'
import type { IncomingCall, PlainAnswer, ProviderOptions } from './wire-format.ts'

interface OpenAiError {
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly message: string
}

const failures: Record<Failure, OpenAiError> = {
  rate_limited: {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for requests. Please try again later.',
  },
  quota_spent: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  overloaded: {
    status: 503,
    type: 'service_unavailable_error',
    code: 'server_is_overloaded',
    message: 'The server is currently overloaded. Please try again later.',
  },
  server_error: {
    status: 500,
    type: 'server_error',
    code: null,
    message: 'The server had an error while processing your request.',
  },
  unavailable: { status: 503, type: 'server_error', code: null, message: 'The service is unavailable.' },
  context_too_long: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message: "This model's maximum context length is 128000 tokens. Your messages resulted in 130000 tokens.",
  },
  unknown_model: {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'The model does not exist or you do not have access to it.',
  },
  wrong_key: {
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message: 'Incorrect API key provided.',
  },
  forbidden: { status: 403, type: 'invalid_request_error', code: null, message: 'You are not allowed to do this.' },
  bad_request: { status: 400, type: 'invalid_request_error', code: null, message: 'The request is not valid.' },
}

const errorBody = (message: string, type: string, code: string | null, param: string | null): JsonObject => ({
  error: { message, type, param, code },
})

export function openAiFailureBody({ failure, message, body }: Fail, prompt: string): JsonObject | string {
  const known = failures[failure]
  const param = failure === 'context_too_long' ? prompt : null
  return body ?? errorBody(message ?? known.message, known.type, known.code, param)
}

/** `prompt` is the parameter that has the conversation. */
export function openAiFailure(fail: Fail, prompt: string): PlainAnswer {
  const retry = fail.retryAfter === undefined ? {} : { 'retry-after': `${fail.retryAfter}` }
  const status = fail.status ?? failures[fail.failure].status
  return { status, headers: { ...retry, ...fail.headers }, body: openAiFailureBody(fail, prompt) }
}

export const openAiRefusal = ({ message, type = 'invalid_request_error', code, param }: Refusal): JsonObject =>
  errorBody(message, type, code, param)

export function checkBearerKey({ headers }: IncomingCall, { apiKey }: ProviderOptions): void {
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
  if (key === undefined) throw new Refusal("You didn't provide an API key.", { status: 401 })
  if (apiKey !== undefined && key !== apiKey) {
    throw new Refusal(failures.wrong_key.message, { status: 401, code: 'invalid_api_key' })
  }
}

export function checkOpenAiModel(model: string, { models }: ProviderOptions): void {
  if (models === undefined || models.includes(model)) return
  throw new Refusal(`The model \`${model}\` does not exist or you do not have access to it.`, {
    status: 404,
    code: 'model_not_found',
  })
}

export function openAiShapeRefusal({ kind, path, value, expected }: ShapeProblem): Refusal {
  const param = bracketPath(path)
  const refuse = (message: string, code: string) => new Refusal(message, { code, param })
  switch (kind) {
    case 'missing':
      return refuse(`Missing required parameter: '${param}'.`, 'missing_required_parameter')
    case 'unknown':
      return refuse(`Unknown parameter: '${param}'.`, 'unknown_parameter')
    case 'type':
      return refuse(
        `Invalid type for '${param}': expected ${expected}, but got ${typeName(value)} instead.`,
        'invalid_type',
      )
    case 'value':
      return refuse(`Invalid value: '${value}'. Supported values are: ${expected}.`, 'invalid_value')
    case 'pattern':
      return refuse(`Invalid '${param}': string does not match pattern. Expected ${expected}.`, 'invalid_value')
    case 'small':
      return refuse(
        `Invalid '${param}': ${measure(value)} below minimum. Expected >= ${expected}.`,
        `${code(value)}_below_min`,
      )
    case 'large':
      return refuse(
        `Invalid '${param}': ${measure(value)} above maximum. Expected <= ${expected}.`,
        `${code(value)}_above_max`,
      )
  }
}

const typeName = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
const measure = (value: unknown): string => (typeof value === 'number' ? 'value' : `${typeName(value)} length`)
const code = (value: unknown): string => (typeof value === 'number' ? 'value' : `${typeName(value)}_length`)
