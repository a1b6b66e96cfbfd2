// Where the OpenAI-compatible server is and the key to it, from the environment. No message repeats a value: it may be a secret.
import { SettingsError } from '../../runtime/settings/settings-error.ts'

export interface ProviderServer {
  readonly baseUrl: string
  /** Left out: no `Authorization` header, as local servers like it. */
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
  // Node's fetch refuses a user in the URL, and its message would repeat the password.
  if (url.username || url.password || url.search || url.hash) {
    throw new SettingsError(`${urlName} must have no user, password, query or fragment: a key goes into ${keyName}.`)
  }
  return url.href
}

function readKey(text: string | undefined): string | undefined {
  if (!text) return undefined
  // Anything else is no header value, and the error about it would repeat the key.
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new SettingsError(`${keyName} must be printable ASCII without spaces.`)
}
