// Who is signed in: the client that carries the key, and the way out.
import { Runwright } from '@runwright/client'
import { createContext, useContext } from 'react'

export interface Session {
  readonly client: Runwright
  /** The notice tells on the sign-in page why. */
  readonly signOut: (notice?: string) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('a view was shown without a session')
  return session
}

/** The service is one level above the console, whatever path a proxy puts both below. Few retries: a person waits. */
export const createClient = (apiKey: string): Runwright =>
  new Runwright({ baseUrl: new URL('..', window.location.href).href, apiKey, maxRetries: 2 })
