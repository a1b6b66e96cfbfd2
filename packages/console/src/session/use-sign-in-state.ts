// Keeps the state of the page up to date: sign-ins and sign-outs here and in other tabs, and sessions that ended.
import { useCallback, useEffect, useState } from 'react'
import { forgetKey, keepKey } from './api-key.ts'
import { listenToOtherTabs, tellOtherTabs } from './other-tabs.ts'
import { takeCode } from './sign-in-code.ts'
import { findBrowserSession, type SignInState, signInWithCode } from './sign-in-state.ts'
import { type Credential, endAllSessions, endSession, type SignedInKey } from './signed-in-key.ts'

const isTab = (state: SignInState | undefined) => state?.isSignedIn === true && state.credential.keptFor === 'tab'

export interface SignInControl {
  /** Undefined as long as the service has not said. */
  readonly state: SignInState | undefined
  readonly onSignedIn: (credential: Credential, signedInKey: SignedInKey) => void
  /** Ends the session on the service. Throws if the service did not do so: then nothing has changed. */
  readonly signOut: (notice?: string) => Promise<void>
  /** The same for all sessions of the person. Then the page of the identity provider follows, if it has one. */
  readonly signOutEverywhere: () => Promise<void>
  /** The service refused the credential. */
  readonly onRefused: (reason: string) => void
}

export const useSignInState = (first: Promise<SignInState>): SignInControl => {
  const [state, setState] = useState<SignInState>()
  useEffect(() => {
    void first.then(setState)
  }, [first])
  useSessionOfOtherTabs(state, setState)
  useSignInLinks(setState)
  const keptFor = isTab(state) ? 'tab' : 'browser'

  const onSignedIn = useCallback((credential: Credential, signedInKey: SignedInKey) => {
    if (credential.keptFor === 'tab') keepKey(credential.apiKey)
    else tellOtherTabs('signed-in')
    setState({ isSignedIn: true, credential, signedInKey })
  }, [])

  const signOut = useCallback(
    async (notice?: string) => {
      if (keptFor === 'tab') forgetKey()
      else {
        await endSession()
        tellOtherTabs('signed-out')
      }
      setState({ isSignedIn: false, notice })
    },
    [keptFor],
  )

  const signOutEverywhere = useCallback(async () => {
    const providerUrl = await endAllSessions()
    tellOtherTabs('signed-out')
    setState({ isSignedIn: false, notice: 'You signed out on all browsers.' })
    if (providerUrl !== undefined) window.location.assign(providerUrl)
  }, [])

  const onRefused = useCallback(
    (reason: string) => {
      const notice = `You were signed out. ${reason}`
      if (keptFor === 'tab') {
        forgetKey()
        setState({ isSignedIn: false, notice })
      }
      // Another tab may have signed in again meanwhile: then this one goes on.
      else void findBrowserSession(notice).then(setState)
    },
    [keptFor],
  )
  return { state, onSignedIn, signOut, signOutEverywhere, onRefused }
}

/** All tabs without a key of their own share the session of the browser. */
const useSessionOfOtherTabs = (state: SignInState | undefined, setState: (state: SignInState) => void) => {
  const hasOwnKey = isTab(state)
  useEffect(() => {
    if (hasOwnKey) return
    return listenToOtherTabs((news) => {
      if (news === 'signed-in') void findBrowserSession().then(setState)
      else setState({ isSignedIn: false, notice: 'You signed out in another tab.' })
    })
  }, [hasOwnKey, setState])
}

/** A sign-in link that is opened in a tab with the console does not load the page again. */
const useSignInLinks = (setState: (state: SignInState) => void) => {
  useEffect(() => {
    const open = ({ newURL }: HashChangeEvent) => {
      // Without a session there is no router that would remove it.
      const code = takeCode(newURL)
      if (code === undefined) return
      void signInWithCode(code).then(setState)
    }
    window.addEventListener('hashchange', open)
    return () => window.removeEventListener('hashchange', open)
  }, [setState])
}
