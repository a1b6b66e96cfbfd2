// The message for an error of a service: what happened, what to do, and the id of the request.
import { RunwrightError } from '@runwright/client'
import { commandLine, installedCommandLine } from '../output/command-line.ts'
import { safeLine } from '../output/safe-text.ts'
import type { Target } from './target.ts'

type Where = Pick<Target, 'url' | 'keySource'>

/** Undefined for an error that is not about the service. */
export function explainServiceError(error: unknown, where: Where): string | undefined {
  if (!(error instanceof RunwrightError)) return undefined
  const { status, requestId } = error
  if (status === undefined) return `${unreachable(error, where.url)}`
  const parts = [sentence(safeLine(error.message)), adviceFor(error, where), requestId && `(${safeLine(requestId)})`]
  return parts.filter((part) => part).join(' ')
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const adviceFor = ({ reasonCode, status }: RunwrightError, { url, keySource }: Where): string | undefined => {
  if (status === 401) return `The key of ${keySource} is not valid for ${url}: set RUNWRIGHT_API_KEY to another one.`
  if (reasonCode === undefined) return `Check that ${url} is the URL of a Runwright service.`
  return advice[reasonCode]
}

const advice: Readonly<Record<string, string>> = {
  SCOPE_DENIED: `Use a key that has this scope: ${installedCommandLine('keys create --scopes …')}`,
  RUN_NOT_FOUND: `Run ${commandLine('list')} to see your runs.`,
  MEMORY_ITEM_NOT_FOUND: `Run ${commandLine('memory')} to see the items.`,
  IDEMPOTENCY_KEY_CONFLICT: 'Use another --idempotency-key, or repeat the same request.',
  RUN_STATE_CONFLICT: `Run ${commandLine('get <run id>')} to see the state of the run.`,
  RUN_NOT_AWAITING_INPUT: `Run ${commandLine('get <run id>')} to see what input the run awaits and who answered.`,
  RATE_LIMITED: 'Try again in a moment.',
  OVERLOADED: 'Try again in a moment.',
  SHUTTING_DOWN: 'Try again in a moment.',
  CUSTOMER_MOVING: 'Try again in a moment.',
  INTERNAL_ERROR: 'This is a bug of the service: its log has the details under the request id.',
}

function unreachable({ message, cause }: RunwrightError, url: string): string {
  const why = reasonOf(cause) ?? sentence(safeLine(message))
  return `No service answers at ${url}: ${why} Start one with ${installedCommandLine('start')}, or set RUNWRIGHT_URL.`
}

/** `fetch failed` says nothing; the code of its cause does. */
function reasonOf(cause: unknown): string | undefined {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : undefined
  if (inner instanceof Error && inner.name === 'TimeoutError') return 'it did not respond in time.'
  return code === undefined ? undefined : (reasons[code] ?? `${code}.`)
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused.',
  ENOTFOUND: 'the host name is not known.',
  EAI_AGAIN: 'the host name cannot be looked up.',
  ECONNRESET: 'the connection was closed.',
  UND_ERR_SOCKET: 'the connection was closed.',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate cannot be verified.',
}
