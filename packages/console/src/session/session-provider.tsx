// Gives the pages the session of the signed-in key.
import type { Scope } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { createClient, hasScope, type Session, SessionContext } from './session.ts'

interface KeyFacts {
  readonly key_name: string | null
  readonly scopes: readonly Scope[]
}

/** Not part of the API, so the client has no method for it. */
const readKeyFacts = async (apiKey: string, signal: AbortSignal): Promise<KeyFacts | null> => {
  const response = await fetch(new URL('session', window.location.href), {
    headers: { authorization: `Bearer ${apiKey}`, 'x-runwright-console': '1' },
    signal,
  })
  return response.ok ? ((await response.json()) as KeyFacts) : null
}

interface SessionProviderProps {
  readonly apiKey: string
  readonly onSignOut: (notice?: string) => void
  readonly children: ReactNode
}

export function SessionProvider({ apiKey, onSignOut, children }: SessionProviderProps) {
  const [client] = useState(() => createClient(apiKey))
  const { data: facts } = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => readKeyFacts(apiKey, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const session = useMemo<Session>(() => {
    const scopes = facts?.scopes
    return {
      client,
      scopes,
      keyName: facts?.key_name ?? undefined,
      can: (scope) => hasScope(scopes, scope),
      signOut: onSignOut,
    }
  }, [client, facts, onSignOut])
  return <SessionContext value={session}>{children}</SessionContext>
}
