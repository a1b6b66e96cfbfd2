// The session: the client with the API key of the user, and the sign-out.
import { Runwright } from '@runwright/client'
import { createContext, useContext } from 'react'

export interface Session {
  readonly client: Runwright
  /** The sign-in page shows the notice. */
  readonly signOut: (notice?: string) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('a view was shown without a session')
  return session
}

/** The service is one level above the console, also behind a proxy with a path prefix. Few retries: the user waits. */
export const createClient = (apiKey: string): Runwright =>
  new Runwright({ baseUrl: new URL('..', window.location.href).href, apiKey, maxRetries: 2 })
