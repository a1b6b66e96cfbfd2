// The URL, API key and headers of a provider, from its configuration and the environment. Messages never repeat a
// value, because it may be a secret.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { FromEnvironment, ProviderConfig } from './provider-config.ts'
import type { WireFormat } from './wire-format.ts'

export interface ProviderServer {
  readonly baseUrl: string
  /** Absent: no key is sent, as local servers expect. */
  readonly apiKey: string | undefined
  /** The header that carries the key. Absent: that of the format. */
  readonly keyHeader?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Values of headers that come from the environment. Messages must not show them. */
  readonly secrets?: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

interface ServerVariables {
  readonly url: string
  readonly key: string
  /** Where the provider itself answers. Absent: the variable must be set. */
  readonly defaultUrl?: string
  readonly needsKey?: true
  /** The path of the API. The providers' own tools take a base URL without it, so it may be left out. */
  readonly path?: string
}

const openAi: ServerVariables = {
  url: 'OPENAI_BASE_URL',
  key: 'OPENAI_API_KEY',
  defaultUrl: 'https://api.openai.com/v1',
  needsKey: true,
}

/** Of the built-in providers. */
const variables: Readonly<Record<WireFormat, ServerVariables>> = {
  openai: openAi,
  'openai-chat': openAi,
  anthropic: {
    url: 'ANTHROPIC_BASE_URL',
    key: 'ANTHROPIC_API_KEY',
    defaultUrl: 'https://api.anthropic.com',
    needsKey: true,
    path: '/v1',
  },
  google: {
    url: 'GEMINI_BASE_URL',
    key: 'GEMINI_API_KEY',
    defaultUrl: 'https://generativelanguage.googleapis.com',
    needsKey: true,
    path: '/v1beta',
  },
  'openai-compatible': { url: 'OPENAI_COMPATIBLE_BASE_URL', key: 'OPENAI_COMPATIBLE_API_KEY' },
}

const example = 'http://127.0.0.1:11434/v1'

type Server = Pick<ProviderConfig, 'name' | 'format' | 'baseUrl' | 'keyEnv' | 'keyHeader' | 'headers' | 'at'>

/** Throws a SettingsError if a variable is missing or invalid. */
export function readProviderServer(env: Environment, provider: Server): ProviderServer {
  const headers = readHeaders(env, provider)
  const secrets = Object.entries(headers).flatMap(([name, value]) =>
    typeof provider.headers[name] === 'object' ? [value] : [],
  )
  return {
    baseUrl: readBaseUrl(env, provider),
    apiKey: readApiKey(env, provider),
    ...(provider.keyHeader !== undefined && { keyHeader: provider.keyHeader }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(secrets.length > 0 && { secrets }),
  }
}

/** The variable that has the key of a provider. Undefined: no key is sent. */
export const keyVariableOf = ({ name, format, keyEnv }: Server): string | undefined =>
  // Only a built-in provider has one without being told: no key goes to another server by accident.
  keyEnv ?? (name === format ? variables[format].key : undefined)

function readBaseUrl(env: Environment, provider: Server): string {
  const url = new URL(givenUrl(env, provider))
  const { path } = variables[provider.format]
  return path !== undefined && url.pathname === '/' ? new URL(path, url).href : url.href
}

function givenUrl(env: Environment, { name, format, baseUrl }: Server): string {
  if (baseUrl !== undefined) return baseUrl
  const { url, key, defaultUrl } = variables[format]
  const given = (name === format && env[url]) || defaultUrl
  if (!given) throw new SettingsError(`An ${format} model needs ${url}, such as ${example}.`)
  return readUrl(given, url, key)
}

function readApiKey(env: Environment, provider: Server): string | undefined {
  const variable = keyVariableOf(provider)
  if (variable === undefined) return undefined
  const key = readKey(env[variable], variable)
  if (key !== undefined) return key
  if (provider.keyEnv !== undefined) throw notSet(provider, 'key_env', variable)
  if (!variables[provider.format].needsKey) return undefined
  throw new SettingsError(`A model of ${provider.name} needs ${variable}.`)
}

function readHeaders(env: Environment, provider: Server): Record<string, string> {
  const read = (name: string, value: string | FromEnvironment): string => {
    if (typeof value === 'string') return value
    const given = env[value.env]
    if (!given) throw notSet(provider, `headers.${name}`, value.env)
    if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(given)) return given
    throw new SettingsError(`${value.env} must be printable ASCII.`)
  }
  return Object.fromEntries(Object.entries(provider.headers).map(([name, value]) => [name, read(name, value)]))
}

const notSet = ({ at }: Server, field: string, variable: string): SettingsError =>
  new SettingsError(`${at}.${field} names the environment variable ${variable}, which is not set.`)

export function readUrl(text: string, name: string, keyName: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new SettingsError(`${name} must be an http or https URL, such as ${example}.`)
  }
  // Node's fetch refuses a user in the URL, and its error would repeat the password.
  if (url.username || url.password || url.search || url.hash) {
    throw new SettingsError(`${name} must have no user, password, query or fragment: a key goes into ${keyName}.`)
  }
  return url.href
}

function readKey(text: string | undefined, name: string): string | undefined {
  if (!text) return undefined
  // Anything else is not a valid header value, and the error about it would repeat the key.
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new SettingsError(`${name} must be printable ASCII without spaces.`)
}
