// The session: the client of the user, what the key may do, and the sign-out.
import { Runwright } from '@runwright/client'
import { includedScopes, type Scope } from '@runwright/contract'
import { createContext, useContext } from 'react'
import { type Credential, consoleHeaders, type SignedInKey } from './signed-in-key.ts'

export interface Session {
  readonly client: Runwright
  /** Undefined as long as the service has not said. */
  readonly scopes: readonly Scope[] | undefined
  readonly keyName: string | undefined
  /** Who is signed in. Undefined as long as the service has not said. */
  readonly signedInKey: SignedInKey | undefined
  readonly keptFor: Credential['keptFor']
  /** Whether the key has the scope. True as long as that is not known: then the service decides. */
  readonly can: (scope: Scope) => boolean
  /** The sign-in page shows the notice. Throws if the service did not end the session: then nothing has changed. */
  readonly signOut: (notice?: string) => Promise<void>
  /** The same on all browsers of the person, and goes on to the identity provider. */
  readonly signOutEverywhere: () => Promise<void>
  /** Goes on with another secret of the same key, which was rotated. */
  readonly adoptKey: (apiKey: string) => Promise<void>
  /** Reads from a route of the service that is not part of the API, such as `ticks?cron=…`. */
  readonly readOwn: (path: string, signal?: AbortSignal) => Promise<unknown>
}

export const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('a page was shown without a session')
  return session
}

export const hasScope = (scopes: readonly Scope[] | undefined, wanted: Scope): boolean =>
  scopes === undefined || scopes.some((scope) => scope === wanted || includedScopes[scope]?.includes(wanted))

/** The service is one level above the console, also behind a proxy with a path prefix. Few retries: the user waits. */
const clientOptions = () => ({ baseUrl: new URL('..', window.location.href).href, maxRetries: 2 })

export const createTabClient = (apiKey: () => string): Runwright => new Runwright({ ...clientOptions(), apiKey })

/** The browser adds the cookie by itself. An `Authorization` header would take precedence over it. */
const fetchWithCookie: typeof fetch = (input, init) => {
  const headers = new Headers({ ...Object.fromEntries(new Headers(init?.headers)), ...consoleHeaders })
  headers.delete('authorization')
  return fetch(input, { ...init, headers })
}

export const createBrowserClient = (): Runwright =>
  new Runwright({ ...clientOptions(), apiKey: () => '', fetch: fetchWithCookie })
