// The sign-in page or the console: without a key, no request is sent.
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorBoundary } from './parts/error-boundary.tsx'
import { createConsoleRouter } from './router.ts'
import { findKey, forgetKey, keepKey } from './session/api-key.ts'
import { createQueryClient } from './session/query-client.ts'
import { SessionProvider } from './session/session-provider.tsx'
import { SignIn } from './session/sign-in.tsx'

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
  const [queries] = useState(() => createQueryClient((error) => onSignOut(`You were signed out. ${error.message}`)))
  const [router] = useState(createConsoleRouter)
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider apiKey={apiKey} onSignOut={onSignOut}>
        <RouterProvider router={router} />
      </SessionProvider>
    </QueryClientProvider>
  )
}
