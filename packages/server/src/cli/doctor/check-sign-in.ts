// Whether the identity provider of `RUNWRIGHT_OIDC` can be asked.
import { readOidc } from '../../access/sign-in/oidc-file.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { safeLine } from '../output/safe-text.ts'
import { type Check, ok, problem } from './check.ts'

const name = 'Sign-in'

/** No line if people sign in with keys only. */
export async function checkSignIn(settings: Settings): Promise<readonly Check[]> {
  const oidc = readOidc(settings)
  if (oidc === undefined) return []
  const { IdentityProvider } = await import('../../access/sign-in/identity-provider.ts')
  try {
    await new IdentityProvider(oidc).check()
    return [ok(name, `${oidc.issuer} responds, and calls itself so`)]
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ProviderAway')) throw error
    const message = `The identity provider ${oidc.issuer} cannot be asked: ${safeLine(error.message)}.`
    return [problem(name, message, `Check "issuer" and "private_addresses" in ${settings.oidc.path}.`)]
  }
}
