// Parsers for the values of environment variables. On failure, they describe a valid value.
import { isIP } from 'node:net'
import { resolve } from 'node:path'

/** `wants` completes the sentence "NAME must be …". */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly wants: string }

export type Parser<T> = (text: string) => Parsed<T>

interface Range {
  readonly min: number
  readonly max: number
}

// Ten years: a longer duration is a typing error, and added to a date it could exceed the range of PostgreSQL.
const longestSeconds = 315_360_000

export function accept<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

export function refuse(wants: string): Parsed<never> {
  return { ok: false, wants }
}

export function wholeNumber({ min, max }: Range): Parser<number> {
  return numberLike({ pattern: /^\d{1,16}$/, min, max, kind: 'a whole number' })
}

export function decimal({ min, max }: Range): Parser<number> {
  return numberLike({ pattern: /^\d{1,16}(\.\d{1,16})?$/, min, max, kind: 'a number' })
}

/** At least a millisecond, the resolution of timers. */
export const seconds: Parser<number> = decimal({ min: 0.001, max: longestSeconds })

export const secondsOrNone: Parser<number> = decimal({ min: 0, max: longestSeconds })

/** A shorter limit would take a busy event loop for a blocked one. */
export const watchdogLimit: Parser<number> = (text) => {
  const parsed = decimal({ min: 1, max: longestSeconds })(text)
  if (parsed.ok) return parsed
  return /^0+$/.test(text) ? accept(0) : refuse(`0 or ${parsed.wants}`)
}

export function oneOf<const T extends string>(...choices: readonly T[]): Parser<T> {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    return choice === undefined ? refuse(`one of ${choices.join(', ')}`) : accept(choice)
  }
}

export const processCount: Parser<number | 'auto'> = (text) => {
  if (text === 'auto') return accept(text)
  const parsed = wholeNumber({ min: 1, max: 256 })(text)
  return parsed.ok ? parsed : refuse(`auto or ${parsed.wants}`)
}

export const hostName: Parser<string> = (text) => {
  const isName = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text) && !/^[\d.]+$/.test(text)
  return isName || isIP(text) !== 0 ? accept(text) : refuse('an IP address or a host name')
}

/** Without a slash at the end. */
export const httpUrl: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isUsable = url && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.search || url.hash)
  return isUsable ? accept(url.href.replace(/(?<!\/)\/+$/, '')) : refuse('an http or https URL without a password')
}

/** Exactly as browsers send them: no path, no default port, no wildcard. */
export const origins: Parser<readonly string[]> = (text) => {
  const list = text.split(',').map((part) => part.trim())
  return list.every(isOrigin)
    ? accept(list)
    : refuse('a comma-separated list of origins without a path or wildcard, such as https://app.example.com')
}

const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** `smtp://` with STARTTLS, or `smtps://` with TLS from the beginning. */
export const smtpUrl: Parser<string> = (text) => {
  const url = /^smtps?:\/\/\S{1,1000}$/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  const isKnown = url && [...url.searchParams].every(([name, value]) => name === 'tls' && value === 'off')
  const isPlain = isKnown && ['', '/'].includes(url.pathname) && url.hash === '' && url.hostname !== ''
  const isConsistent = isPlain && !(url.protocol === 'smtps:' && url.search !== '')
  return isConsistent && isDecodable(url.username) && isDecodable(url.password)
    ? accept(text)
    : refuse('a URL such as smtps://user:password@mail.example.com, or smtp:// for STARTTLS, with ?tls=off for neither')
}

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Relative to the working directory. Made absolute here, so that a later chdir does not change it. */
export const path: Parser<string> = (text) => (/\S/.test(text) ? accept(resolve(text)) : refuse('a path'))

export const postgresUrl: Parser<string> = (text) => {
  if (!/^postgres(ql)?:\/\/\S+$/.test(text)) return refuse('a URL that starts with postgres:// or postgresql://')
  const session = /[?&]target_session_attrs=([\w-]{0,30})/.exec(text)?.[1] ?? 'any'
  return ['any', 'read-write', 'primary'].includes(session)
    ? accept(text)
    : refuse('a URL whose target_session_attrs is read-write: the service writes to the database')
}

/** One model, or several separated by commas: the next takes over when those before it are away. */
export const modelName: Parser<string> = (text) =>
  text.split(',').every((name) => isModelName(name.trim()))
    ? accept(text)
    : refuse('sandbox or provider/model, such as openai/gpt-5')

/** Models to choose from, separated by commas. */
export const modelNames: Parser<readonly string[]> = (text) => {
  const names = text.split(',').map((name) => name.trim())
  return names.every(isModelName)
    ? accept([...new Set(names)])
    : refuse('a comma-separated list of models, such as openai/gpt-5,anthropic/claude-sonnet-4-5')
}

const isModelName = (name: string): boolean => name === 'sandbox' || /^[a-z0-9][a-z0-9-]*\/[^\s,]+$/.test(name)

export const embeddingModelName: Parser<string> = (text) =>
  text === 'offline' || /^openai-compatible\/\S+$/.test(text)
    ? accept(text)
    : refuse('offline or openai-compatible/<model>, such as openai-compatible/text-embedding-3-small')

export const oidcClientSecret: Parser<string> = (text) =>
  /^[\x20-\x7e]{1,1000}$/.test(text) ? accept(text) : refuse('1 to 1000 printable ASCII characters')

/** Kept as text and decoded where it is used. */
export const base64Of32Bytes: Parser<string> = (text) =>
  /^[A-Za-z0-9+/]{43}=$/.test(text)
    ? accept(text)
    : refuse('32 bytes in base64, such as the output of openssl rand -base64 32')

export const base64Keys: Parser<readonly string[]> = (text) => {
  const keys = text.split(',').map((part) => base64Of32Bytes(part.trim()))
  return keys.every((key) => key.ok)
    ? accept(keys.map((key) => key.value))
    : refuse('a comma-separated list of keys, each 32 bytes in base64')
}

function numberLike(form: Range & { readonly pattern: RegExp; readonly kind: string }): Parser<number> {
  const { pattern, min, max, kind } = form
  return (text) => {
    const value = Number(text)
    return pattern.test(text) && value >= min && value <= max ? accept(value) : refuse(`${kind} from ${min} to ${max}`)
  }
}
