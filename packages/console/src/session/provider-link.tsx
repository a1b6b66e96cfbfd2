// The link to the identity provider, if the service has one. It leads back to the page that was asked for.
import { useEffect, useState } from 'react'
import { linkButton } from '../parts/controls/link-button.ts'
import { forgetKey } from './api-key.ts'
import { providerSignIn, readProviderName } from './signed-in-key.ts'

const useProviderName = (): string | undefined => {
  const [name, setName] = useState<string>()
  useEffect(() => {
    let isShown = true
    // Without an answer there is the key, and the page says what is wrong when that is tried.
    readProviderName().then(
      (found) => isShown && setName(found),
      () => undefined,
    )
    return () => {
      isShown = false
    }
  }, [])
  return name
}

/** A page that was shown to sign in is not asked for. */
const pageNow = (): string => (/^#\/sign-in/.test(window.location.hash) ? '#/' : window.location.hash || '#/')

export function ProviderLink() {
  const name = useProviderName()
  if (name === undefined) return null
  return (
    // The page changes while the link is shown, so the address is made when it is used.
    <a
      href={providerSignIn('#/')}
      className={`${linkButton('primary')} justify-center`}
      onClick={({ currentTarget }) => {
        // A key of this tab would come first.
        forgetKey()
        currentTarget.href = providerSignIn(pageNow())
      }}
    >
      Sign in with {name}
    </a>
  )
}
