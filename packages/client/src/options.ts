// The options of the client: read from the environment where they are left out, and checked before the first request.
import type { RetryPolicy } from './backoff.ts'
import type { Credential, Token } from './credential.ts'
import type { ApiKey, Fetch } from './fetch-layers.ts'

export interface RunwrightOptions {
  /**
   * The URL of the service, without `/v1`. In a browser, `''` means the host of the page. Default: RUNWRIGHT_URL, or
   * `http://127.0.0.1:8080`.
   */
  readonly baseUrl?: string | undefined
  /** `<key_id>:<secret>`, or a function that returns the current key. Default: RUNWRIGHT_API_KEY. */
  readonly apiKey?: ApiKey | undefined
  /**
   * Instead of an API key, for browsers: a token of `tokens.create`, or a function that gets one, for example from your
   * own server. The function is called again when the token has ended.
   */
  readonly token?: Token | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** The timeout of one attempt, including the body. Does not apply to streams. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /**
   * The maximum number of retries. Default: 5, but 2 as long as the service has never answered this client. 0 disables
   * retries.
   */
  readonly maxRetries?: number | undefined
  /** The delay before the first retry; it doubles each time. Default: 1,000. */
  readonly initialRetryDelayMs?: number | undefined
  /** Default: 30,000. */
  readonly maxRetryDelayMs?: number | undefined
}

export interface CheckedOptions extends Omit<RetryPolicy, 'hasAnswered'> {
  readonly baseUrl: string
  readonly credential: Credential
  readonly fetch: Fetch
  readonly timeoutMs: number
  /** Whether `maxRetries` was left out. */
  readonly givesUpEarly: boolean
}

const defaultUrl = 'http://127.0.0.1:8080'
const urlVariable = 'RUNWRIGHT_URL'
const keyVariable = 'RUNWRIGHT_API_KEY'

type Environment = Readonly<Record<string, string | undefined>>

/** Browsers have no environment. Deno refuses to read it without permission. */
const environmentOfProcess = (): Environment => {
  const { process: running } = globalThis as { process?: { env?: Environment } }
  return running?.env ?? {}
}

export function checkOptions(options: RunwrightOptions, env = environmentOfProcess()): CheckedOptions {
  refuseUnknown(options)
  const numbers = {
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 5,
    initialRetryDelayMs: options.initialRetryDelayMs ?? 1_000,
    maxRetryDelayMs: options.maxRetryDelayMs ?? 30_000,
  }
  for (const [name, value] of Object.entries(numbers)) checkNumber(name, value)
  return {
    baseUrl: checkedUrl(options.baseUrl ?? (env[urlVariable] || defaultUrl)),
    credential: credentialOf(options, env),
    // Called as a plain function: browsers refuse `fetch` as a method of another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: numbers.timeoutMs,
    maxRetries: numbers.maxRetries,
    initialDelayMs: numbers.initialRetryDelayMs,
    maxDelayMs: numbers.maxRetryDelayMs,
    givesUpEarly: options.maxRetries === undefined,
  }
}

const known = {
  baseUrl: true,
  apiKey: true,
  token: true,
  fetch: true,
  timeoutMs: true,
  maxRetries: true,
  initialRetryDelayMs: true,
  maxRetryDelayMs: true,
} satisfies Record<keyof RunwrightOptions, true>

/** What other clients call these options. */
const otherNames: Readonly<Record<string, keyof RunwrightOptions>> = {
  url: 'baseUrl',
  base_url: 'baseUrl',
  baseURL: 'baseUrl',
  endpoint: 'baseUrl',
  host: 'baseUrl',
  key: 'apiKey',
  api_key: 'apiKey',
  timeout: 'timeoutMs',
  retries: 'maxRetries',
}

function refuseUnknown(options: RunwrightOptions): void {
  const name = Object.keys(options).find((option) => !(option in known))
  if (name === undefined) return
  const meant = otherNames[name]
  const hint = meant ? `use ${meant}` : `the options are ${Object.keys(known).join(', ')}`
  throw new TypeError(`"${name.slice(0, 50)}" is not an option of Runwright: ${hint}.`)
}

function checkNumber(name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return
  throw new TypeError(`${name} must be a number that is not negative, but is ${String(value)}.`)
}

function checkedUrl(baseUrl: unknown): string {
  // The base allows paths such as `/api`. `http:` alone and `runs.example.com:8080` are mistakes.
  const base = 'http://localhost'
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl, base) ? new URL(baseUrl, base) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return String(baseUrl)
  throw new TypeError(`baseUrl must be an HTTP URL such as ${defaultUrl}, but is "${String(baseUrl)}".`)
}

function credentialOf({ apiKey, token }: RunwrightOptions, env: Environment): Credential {
  if (token === undefined) return { apiKey: checkedKey(apiKey || env[keyVariable]) }
  if (apiKey !== undefined) throw new TypeError('Set apiKey or token, not both.')
  if (typeof token === 'function' || /^tok_[\w.-]+$/.test(token)) return { token }
  throw new TypeError('token must be a token that tokens.create returned, or a function that returns one.')
}

/** The message never has the key: it is a secret. */
function checkedKey(apiKey: unknown): ApiKey {
  if (typeof apiKey === 'function') return apiKey as ApiKey
  if (apiKey === undefined || apiKey === '')
    throw new TypeError(`No API key: set apiKey or the environment variable ${keyVariable} to <key_id>:<secret>.`)
  if (typeof apiKey === 'string' && /^[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey must be an API key, <key_id>:<secret>, as it was printed when it was created.')
}
