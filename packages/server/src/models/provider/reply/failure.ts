// Describes a provider failure as a value: the reason code, whether and when the call may be retried, and a short
// sentence without keys, headers or URLs with passwords. SDK errors are recognized by their fields, because several
// copies of its classes may be loaded.
import { storableText } from '../../../domain/text.ts'
import { RedirectRefused } from '../../../runtime/within-origin.ts'
import type { ModelFailure } from '../../port/model.ts'
import { readRetryAfter, readRetryDelay } from './retry-after.ts'
import { isTypeError } from './unknown-event.ts'

export type ProviderFailure = Pick<ModelFailure, 'reasonCode' | 'message' | 'retry' | 'retryAfterMs'>

const longestDetail = 300

export function describeFailure(error: unknown, apiKey: string | undefined): ProviderFailure {
  if (error instanceof RedirectRefused) {
    return { reasonCode: 'provider_error', message: tidy(error.message, apiKey), retry: 'never' }
  }
  const status = statusOf(error)
  const isReadable = status !== undefined || !isTypeError(error)
  const message = tidy(sentenceFor(error, status), apiKey)
  const known = knownFailure(status, wordsOf(error))
  if (known) return { reasonCode: known, message, retry: 'never' }
  if (!isTransient(status)) return { reasonCode: 'provider_error', message, retry: 'never' }
  if (!isReadable) return { reasonCode: 'provider_error', message, retry: 'step' }
  const reasonCode = status === 429 ? 'provider_rate_limited' : 'provider_unavailable'
  const retryAfterMs =
    readRetryAfter(fieldOf(error, 'responseHeaders')) ?? readRetryDelay(fieldOf(error, 'responseBody'))
  return { reasonCode, message, retry: 'call', ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** The status of the response, or of an error within the stream. Undefined if the connection failed. */
export function statusOf(error: unknown): number | undefined {
  const status = Number(fieldOf(error, 'statusCode') ?? fieldOf(error, 'code') ?? fieldOf(error, 'status'))
  if (!Number.isInteger(status) || status < 400 || status > 599) return statusOfType(error)
  // The package of Anthropic says 500 for every error that comes as the first event of a stream.
  return status === 500 ? (statusOfType(parsed(fieldOf(error, 'responseBody'))) ?? status) : status
}

const statusByType: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|too_many|insufficient_quota|RESOURCE_EXHAUSTED/i, 429],
  [/authentication|invalid_api_key|UNAUTHENTICATED/i, 401],
  [/billing/i, 402],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/request_too_large/i, 413],
  [/overloaded|server_error|internal|unavailable|api_error|timeout/i, 503],
  [/invalid_request|INVALID_ARGUMENT/i, 400],
]

/** Errors in a stream often carry a type or code and no status. */
function statusOfType(error: unknown): number | undefined {
  const types = ['type', 'code', 'status'].map((name) => textOf(fieldOf(error, name)) ?? '').join(' ')
  return statusByType.find(([pattern]) => pattern.test(types))?.[1]
}

const quotaWords = /insufficient_quota|quota.{0,40}(exceeded|spent|exhausted)|credit balance|billing|payment required/i
const contextWords =
  /context_length_exceeded|context (length|window)|maximum context|exceed context limit|prompt is too long|request_too_large|too many (input )?tokens|input token count/i
const modelWords = /model_not_found|does not exist|model.{0,40}not found|no such model|unknown model/i

/**
 * Google reports limits per minute and per day in the same words. Those of a day name it, or say nothing about when to
 * try again.
 */
const isGoogleQuota = (words: string): boolean =>
  /quotaId[^}]{0,200}PerDay/.test(words) ||
  (/check your plan and billing/.test(words) && !/retryDelay|PerMinute/.test(words))

function knownFailure(status: number | undefined, words: string): string | undefined {
  if (status === 401 || status === 403) return quotaWords.test(words) ? 'provider_quota' : 'provider_auth'
  if (status === 402) return 'provider_quota'
  if (status === 429 && (/insufficient_quota|credit balance/i.test(words) || isGoogleQuota(words)))
    return 'provider_quota'
  if (status === 400 && /API_KEY_INVALID|invalid_api_key/.test(words)) return 'provider_auth'
  if ((status === 400 || status === 413 || status === 422) && contextWords.test(words)) return 'context_exceeded'
  if (status === 400 && quotaWords.test(words)) return 'provider_quota'
  return status === 404 && modelWords.test(words) ? 'provider_error' : undefined
}

const isTransient = (status: number | undefined): boolean =>
  status === undefined || status >= 500 || status === 408 || status === 409 || status === 425 || status === 429

function sentenceFor(error: unknown, status: number | undefined): string {
  const detail = detailOf(error)
  if (status !== undefined) return `The provider answered ${status}${detail ? `: ${detail}` : '.'}`
  if (!(error instanceof Error)) return `The provider reported an error${detail ? `: ${detail}` : '.'}`
  if (error.name === 'AI_APICallError') return `The connection to the provider failed: ${rootCauseOf(error)}`
  return `The provider's answer could not be read: ${rootCauseOf(error)}`
}

function detailOf(error: unknown): string | undefined {
  const body = fieldOf(error, 'responseBody')
  const inBody = typeof body === 'string' ? messageIn(body) : undefined
  return inBody ?? textOf(fieldOf(error, 'message'))
}

/** All text of the provider's error, to be searched for its cause. */
function wordsOf(error: unknown): string {
  const fields = ['responseBody', 'message', 'code', 'type'].map((name) => textOf(fieldOf(error, name)) ?? '')
  return fields.join(' ').slice(0, 4_096)
}

/** Most servers use `error.message`. */
function messageIn(body: string): string | undefined {
  const value = parsed(body)
  const error = fieldOf(value, 'error')
  const candidates = [fieldOf(error, 'message'), error, fieldOf(value, 'message'), fieldOf(value, 'detail')]
  return candidates.map(textOf).find((text) => text !== undefined)
}

/** Google wraps an error in a list. */
function parsed(body: unknown): unknown {
  try {
    const value: unknown = JSON.parse(String(body))
    return Array.isArray(value) ? value[0] : value
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
