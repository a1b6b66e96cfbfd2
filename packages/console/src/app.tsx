// The sign-in page or the console. Until it is known who is signed in, neither.
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { DecisionsProvider } from './answer/decisions/decisions-provider.tsx'
import { ErrorBoundary } from './parts/errors/error-boundary.tsx'
import { createConsoleRouter } from './router.ts'
import { createQueryClient } from './session/query-client.ts'
import { SessionProvider } from './session/session-provider.tsx'
import { SignIn } from './session/sign-in.tsx'
import type { SignInState } from './session/sign-in-state.ts'
import { type SignInControl, useSignInState } from './session/use-sign-in-state.ts'

export function App({ first }: { readonly first: Promise<SignInState> }) {
  const control = useSignInState(first)
  return <ErrorBoundary>{control.state && <Opened state={control.state} control={control} />}</ErrorBoundary>
}

interface OpenedProps {
  readonly state: SignInState
  readonly control: SignInControl
}

function Opened({ state, control }: OpenedProps) {
  if (!state.isSignedIn) {
    return <SignIn notice={state.notice} problem={state.problem} onSignedIn={control.onSignedIn} />
  }
  const { credential, signedInKey } = state
  // Another key gets a new page, so that it shows nothing of the one before.
  const identity = credential.keptFor === 'tab' ? credential.apiKey : `browser ${signedInKey?.key_id}`
  return <SignedIn key={identity} state={state} control={control} />
}

interface SignedInProps {
  readonly state: SignInState & { readonly isSignedIn: true }
  readonly control: SignInControl
}

function SignedIn({ state: { credential, signedInKey }, control }: SignedInProps) {
  const [queries] = useState(() => createQueryClient(({ message }) => control.onRefused(message)))
  const [router] = useState(createConsoleRouter)
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider
        credential={credential}
        signedInKey={signedInKey}
        onSignOut={control.signOut}
        onSignOutEverywhere={control.signOutEverywhere}
      >
        <DecisionsProvider>
          <RouterProvider router={router} />
        </DecisionsProvider>
      </SessionProvider>
    </QueryClientProvider>
  )
}
