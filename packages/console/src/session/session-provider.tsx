// Gives the pages the session of the signed-in key.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { keepKey } from './api-key.ts'
import { createBrowserClient, createTabClient, hasScope, type Session, SessionContext } from './session.ts'
import { type Credential, checkKey, openSession, readOwnRoute, readSession, type SignedInKey } from './signed-in-key.ts'

interface SessionProviderProps {
  readonly credential: Credential
  /** Undefined after a reload of a tab with a key: then the service is asked. */
  readonly signedInKey: SignedInKey | undefined
  readonly onSignOut: Session['signOut']
  readonly onSignOutEverywhere: Session['signOutEverywhere']
  readonly children: ReactNode
}

/** The client of the pages. It stays the same when the key gets another secret. */
const useClient = (credential: Credential) => {
  const { keptFor } = credential
  const apiKey = useRef(credential.keptFor === 'tab' ? credential.apiKey : '')
  const [client] = useState(() => (keptFor === 'tab' ? createTabClient(() => apiKey.current) : createBrowserClient()))
  const [adoptKey] = useState(() => async (other: string) => {
    if (keptFor === 'browser') await openSession({ api_key: other })
    else keepKey(other)
    apiKey.current = other
  })
  const readKey = () => (keptFor === 'tab' ? checkKey(apiKey.current) : readSession())
  const [readOwn] = useState(
    () => (path: string, signal?: AbortSignal) =>
      readOwnRoute(path, { ...(keptFor === 'tab' && { apiKey: apiKey.current }), ...(signal && { signal }) }),
  )
  return { client, adoptKey, readKey, readOwn }
}

export function SessionProvider(props: SessionProviderProps) {
  const { credential, signedInKey: known, onSignOut, onSignOutEverywhere, children } = props
  const { client, adoptKey, readKey, readOwn } = useClient(credential)
  const { keptFor } = credential
  const { data: signedInKey } = useQuery({
    queryKey: ['session'],
    queryFn: readKey,
    initialData: known,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const session = useMemo<Session>(() => {
    const scopes = signedInKey?.scopes
    return {
      client,
      scopes,
      keyName: signedInKey?.key_name ?? undefined,
      signedInKey,
      keptFor,
      can: (scope) => hasScope(scopes, scope),
      signOut: onSignOut,
      signOutEverywhere: onSignOutEverywhere,
      adoptKey,
      readOwn,
    }
  }, [client, signedInKey, keptFor, onSignOut, onSignOutEverywhere, adoptKey, readOwn])
  return <SessionContext value={session}>{children}</SessionContext>
}
