// The cookie that keeps a session of the console. Scripts cannot read it, and other sites cannot send it.
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'

const plainName = 'runwright_session'
/** The browser accepts this name only over https and from this very host, so another subdomain cannot replace it. */
const secureName = `__Host-${plainName}`

/** Undefined if the header contains no session. */
export function sessionTokenOf(cookie: string): string | undefined {
  const values = valuesIn(cookie)
  return values.get(secureName) ?? values.get(plainName)
}

export const cookieIn = (cookie: string, name: string): string | undefined => valuesIn(cookie).get(name)

function valuesIn(cookie: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const pair of cookie.split(';')) {
    const at = pair.indexOf('=')
    if (at > 0) values.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim())
  }
  return values
}

/** For the whole host: behind a proxy the service does not know the path prefix that the console and the API share. */
const attributes = 'Path=/; HttpOnly; SameSite=Strict'

export function sessionCookie(request: IncomingMessage, token: string, expiresAt: Date): string {
  const maxAge = maxAgeOf(expiresAt)
  return isSecure(request)
    ? `${secureName}=${token}; ${attributes}; Secure; Max-Age=${maxAge}`
    : `${plainName}=${token}; ${attributes}; Max-Age=${maxAge}`
}

const maxAgeOf = (expiresAt: Date): number => Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000))

const noPlainCookie = `${plainName}=; ${attributes}; Max-Age=0`
const noSecureCookie = `${secureName}=; ${attributes}; Secure; Max-Age=0`

export const noSessionCookies: readonly string[] = [noPlainCookie, noSecureCookie]

/** The settings say how the service is reached. The other cookie ends: it may be that of someone else. */
export function personCookies(token: string, expiresAt: Date, isSecurePlace: boolean): readonly string[] {
  const rest = `${attributes}; Max-Age=${maxAgeOf(expiresAt)}`
  return isSecurePlace
    ? [noPlainCookie, `${secureName}=${token}; ${rest}; Secure`]
    : [noSecureCookie, `${plainName}=${token}; ${rest}`]
}

/** Headers decide only whether the sender's own cookie is restricted to https, so they need no trust. */
function isSecure({ headers, socket }: IncomingMessage): boolean {
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',', 1)[0]
  return socket instanceof TLSSocket || forwarded?.trim() === 'https' || /^https:/.test(headers.origin ?? '')
}
