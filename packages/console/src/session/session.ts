// The session: the client of the user, what the key may do, and the sign-out.
import { Runwright } from '@runwright/client'
import { includedScopes, type Scope } from '@runwright/contract'
import { createContext, useContext } from 'react'

export interface Session {
  readonly client: Runwright
  /** Undefined as long as the service has not said. */
  readonly scopes: readonly Scope[] | undefined
  readonly keyName: string | undefined
  /** Whether the key has the scope. True as long as that is not known: then the service decides. */
  readonly can: (scope: Scope) => boolean
  /** The sign-in page shows the notice. */
  readonly signOut: (notice?: string) => void
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
export const createClient = (apiKey: string): Runwright =>
  new Runwright({ baseUrl: new URL('..', window.location.href).href, apiKey, maxRetries: 2 })
