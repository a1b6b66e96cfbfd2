// Whether someone is signed in, and how the page finds out when it is opened.
import { findKey, forgetKey } from './api-key.ts'
import { tellOtherTabs } from './other-tabs.ts'
import { isRefusedKey } from './query-client.ts'
import { takeCode } from './sign-in-code.ts'
import { type Credential, openSession, readSession, type SignedInKey } from './signed-in-key.ts'

export type SignInState =
  | { readonly isSignedIn: true; readonly credential: Credential; readonly signedInKey: SignedInKey | undefined }
  | { readonly isSignedIn: false; readonly notice?: string | undefined; readonly problem?: unknown }

export const browserSession = (signedInKey: SignedInKey): SignInState => ({
  isSignedIn: true,
  credential: { keptFor: 'browser' },
  signedInKey,
})

/** A refused session means that this browser is not signed in: a regular result, not a problem. */
const signedOutAfter = (error: unknown, notice?: string): SignInState =>
  isRefusedKey(error) ? { isSignedIn: false, notice } : { isSignedIn: false, notice, problem: error }

export const signInWithCode = async (code: string): Promise<SignInState> => {
  try {
    const state = browserSession(await openSession({ code }))
    forgetKey()
    tellOtherTabs('signed-in')
    return state
  } catch (problem) {
    return { isSignedIn: false, problem }
  }
}

/** Asks the service whether this browser has a session. If not, the sign-in page shows the notice. */
export const findBrowserSession = async (notice?: string): Promise<SignInState> => {
  try {
    return browserSession(await readSession())
  } catch (error) {
    return signedOutAfter(error, notice)
  }
}

/**
 * A sign-in link comes first, because it was just opened; then the key of this tab, then the session of the browser.
 */
export const findFirstState = async (): Promise<SignInState> => {
  const code = takeCode()
  if (code !== undefined) return signInWithCode(code)
  const apiKey = findKey()
  if (apiKey === undefined) return findBrowserSession()
  return { isSignedIn: true, credential: { keptFor: 'tab', apiKey }, signedInKey: undefined }
}
