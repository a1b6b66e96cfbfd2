// The URL and API key of the OpenAI-compatible server, from the environment. Messages never repeat a value, because it
// may be a secret.
import { SettingsError } from '../../runtime/settings/settings-error.ts'

export interface ProviderServer {
  readonly baseUrl: string
  /** Absent: no `Authorization` header, as local servers expect. */
  readonly apiKey: string | undefined
}

const urlName = 'OPENAI_COMPATIBLE_BASE_URL'
const keyName = 'OPENAI_COMPATIBLE_API_KEY'
const example = 'http://127.0.0.1:11434/v1'

export function readProviderServer(env: Readonly<Record<string, string | undefined>>): ProviderServer {
  return { baseUrl: readUrl(env[urlName]), apiKey: readKey(env[keyName]) }
}

function readUrl(text: string | undefined): string {
  if (!text) throw new SettingsError(`An openai-compatible model needs ${urlName}, such as ${example}.`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new SettingsError(`${urlName} must be an http or https URL, such as ${example}.`)
  }
  // Node's fetch refuses a user in the URL, and its error would repeat the password.
  if (url.username || url.password || url.search || url.hash) {
    throw new SettingsError(`${urlName} must have no user, password, query or fragment: a key goes into ${keyName}.`)
  }
  return url.href
}

function readKey(text: string | undefined): string | undefined {
  if (!text) return undefined
  // Anything else is not a valid header value, and the error about it would repeat the key.
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new SettingsError(`${keyName} must be printable ASCII without spaces.`)
}
