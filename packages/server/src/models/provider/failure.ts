// What went wrong at a provider, as a value: which reason code, whether trying again may help, and a short sentence without
// keys, headers or addresses with passwords. The SDK's errors are told apart by their fields: its classes exist in several copies.
import { storableText } from '../../domain/text.ts'

export interface ProviderFailure {
  readonly reasonCode: 'provider_error' | 'provider_auth'
  readonly message: string
  readonly retryable: boolean
}

const longestDetail = 300

export function describeFailure(error: unknown, apiKey: string | undefined): ProviderFailure {
  const status = statusOf(error)
  const message = tidy(sentenceFor(error, status), apiKey)
  if (status === 401 || status === 403) return { reasonCode: 'provider_auth', message, retryable: false }
  return { reasonCode: 'provider_error', message, retryable: isRetryable(status) }
}

/** Of the answer, or of an error that came in the middle of a stream; undefined when there was no such answer. */
export function statusOf(error: unknown): number | undefined {
  const status = Number(fieldOf(error, 'statusCode') ?? fieldOf(error, 'code'))
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined
}

const isRetryable = (status: number | undefined): boolean =>
  status === undefined || status >= 500 || status === 408 || status === 409 || status === 429

function sentenceFor(error: unknown, status: number | undefined): string {
  const detail = detailOf(error)
  if (status !== undefined) return `The provider answered ${status}${detail ? `: ${detail}` : '.'}`
  if (!(error instanceof Error)) return `The provider reported an error${detail ? `: ${detail}` : '.'}`
  if (error.name === 'AI_APICallError') return `The connection to the provider failed: ${rootCauseOf(error)}`
  return "The provider's answer could not be read."
}

function detailOf(error: unknown): string | undefined {
  const body = fieldOf(error, 'responseBody')
  const inBody = typeof body === 'string' ? messageIn(body) : undefined
  return inBody ?? textOf(fieldOf(error, 'message'))
}

/** Servers agree on `error.message`, more or less. */
function messageIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body)
    const error = fieldOf(value, 'error')
    const candidates = [fieldOf(error, 'message'), error, fieldOf(value, 'message'), fieldOf(value, 'detail')]
    return candidates.map(textOf).find((text) => text !== undefined)
  } catch {
    return undefined
  }
}

function rootCauseOf(error: Error): string {
  let root = error
  for (let depth = 0; root.cause instanceof Error && depth < 10; depth += 1) root = root.cause
  return root.message || textOf(fieldOf(root, 'code')) || 'no reason was given'
}

function tidy(sentence: string, apiKey: string | undefined): string {
  const withoutKey = apiKey === undefined ? sentence : sentence.replaceAll(apiKey, '***')
  const text = withoutKey
    .replace(/\bBearer\s+\S+/gi, 'Bearer ***')
    .replace(/\/\/[^\s/@]*@/g, '//***@')
    .replace(/\s+/g, ' ')
    .trim()
  return storableText(text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text)
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
