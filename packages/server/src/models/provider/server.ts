// The URL and API key of a provider, from the environment. Messages never repeat a value, because it may be a secret.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { WireFormat } from './language-model.ts'

export interface ProviderServer {
  readonly baseUrl: string
  /** Absent: no key is sent, as local servers expect. */
  readonly apiKey: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string | undefined>>

interface ServerVariables {
  readonly url: string
  readonly key: string
  /** Where the provider itself answers. Absent: the variable must be set. */
  readonly defaultUrl?: string
  readonly needsKey?: true
}

const variables: Readonly<Record<WireFormat, ServerVariables>> = {
  openai: {
    url: 'OPENAI_BASE_URL',
    key: 'OPENAI_API_KEY',
    defaultUrl: 'https://api.openai.com/v1',
    needsKey: true,
  },
  'openai-chat': {
    url: 'OPENAI_BASE_URL',
    key: 'OPENAI_API_KEY',
    defaultUrl: 'https://api.openai.com/v1',
    needsKey: true,
  },
  anthropic: {
    url: 'ANTHROPIC_BASE_URL',
    key: 'ANTHROPIC_API_KEY',
    defaultUrl: 'https://api.anthropic.com/v1',
    needsKey: true,
  },
  google: {
    url: 'GEMINI_BASE_URL',
    key: 'GEMINI_API_KEY',
    defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
    needsKey: true,
  },
  'openai-compatible': { url: 'OPENAI_COMPATIBLE_BASE_URL', key: 'OPENAI_COMPATIBLE_API_KEY' },
}

const example = 'http://127.0.0.1:11434/v1'

export function readProviderServer(env: Environment, format: WireFormat = 'openai-compatible'): ProviderServer {
  const { url, key, defaultUrl, needsKey } = variables[format]
  const given = env[url] || defaultUrl
  if (!given) throw new SettingsError(`An ${format} model needs ${url}, such as ${example}.`)
  const apiKey = readKey(env[key], key)
  if (needsKey && apiKey === undefined) throw new SettingsError(`A model of ${format} needs ${key}.`)
  return { baseUrl: readUrl(given, url, key), apiKey }
}

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

export function readKey(text: string | undefined, name: string): string | undefined {
  if (!text) return undefined
  // Anything else is not a valid header value, and the error about it would repeat the key.
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new SettingsError(`${name} must be printable ASCII without spaces.`)
}
