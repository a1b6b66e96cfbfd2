// The sign-in page or the console: without a key, no request is sent.
import { QueryClientProvider } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ErrorBoundary } from './parts/error-boundary.tsx'
import { findKey, forgetKey, keepKey } from './session/api-key.ts'
import { createQueryClient } from './session/query-client.ts'
import { createClient, type Session, SessionContext } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { Shell } from './shell.tsx'

export function App() {
  const [key, setKey] = useState(findKey)
  const [notice, setNotice] = useState<string>()
  const signOut = (reason?: string) => {
    forgetKey()
    setNotice(reason)
    setKey(undefined)
  }
  const signIn = (accepted: string) => {
    keepKey(accepted)
    setNotice(undefined)
    setKey(accepted)
  }
  return (
    <ErrorBoundary>
      {key === undefined ? (
        <SignIn notice={notice} onSignedIn={signIn} />
      ) : (
        <SignedIn key={key} apiKey={key} onSignOut={signOut} />
      )}
    </ErrorBoundary>
  )
}

interface SignedInProps {
  readonly apiKey: string
  readonly onSignOut: (notice?: string) => void
}

function SignedIn({ apiKey, onSignOut }: SignedInProps) {
  const [client] = useState(() => createClient(apiKey))
  const [queries] = useState(() => createQueryClient((error) => onSignOut(`You were signed out. ${error.message}`)))
  const session = useMemo<Session>(() => ({ client, signOut: onSignOut }), [client, onSignOut])
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queries}>
        <Shell />
      </QueryClientProvider>
    </SessionContext>
  )
}
