// The sign-in of people through an identity provider, if there is one. The library for it is loaded only then.
import type { OidcSettings } from './oidc-file.ts'
import type { SignIns, SignInsOptions } from './sign-ins.ts'

export type MakeSignIns = (options: Omit<SignInsOptions, 'settings'>) => SignIns

export async function openSignIns(settings: OidcSettings | undefined): Promise<MakeSignIns | undefined> {
  if (settings === undefined) return undefined
  const { SignIns } = await import('./sign-ins.ts')
  return (options) => new SignIns({ ...options, settings })
}
