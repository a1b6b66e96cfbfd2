// Authenticates tokens. A token is as good as the key and the secret that made it, until its time is over: it ends with
// both, within the same times. So it needs what the cache of keys has, and nothing else.

import { grantedScopes } from '../domain/granted-scopes.ts'
import type { Principal, TokenClaims } from '../domain/principal.ts'
import { customerMoving, ServiceError } from '../domain/service-error.ts'
import type { Credentials } from '../store/keys/credentials.ts'
import type { KeyDirectory } from './key-directory.ts'
import { keyRefusal } from './key-refusal.ts'
import { invalidReason, type KnownKey, toKnownKey } from './known-key.ts'
import type { TokenForm } from './token-form.ts'

interface TokenAuthenticatorOptions {
  readonly form: TokenForm
  readonly directory: KeyDirectory
  /** Called when a key was used through a token. */
  readonly onUse: (keyId: string) => void
  readonly now: () => number
}

/** What a token grants with a key as it was read. */
interface Grant {
  readonly key: KnownKey
  readonly principal: Principal
  /** Until when the secret is valid that made the token. */
  readonly secretUntil: number
}

export class TokenAuthenticator {
  readonly #options: TokenAuthenticatorOptions
  readonly #grants = new WeakMap<TokenClaims, Grant>()

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options
  }

  /** The principal, if its key is cached. If undefined, call `authenticate`. */
  findVerified(token: string): Principal | undefined {
    const { form, directory, now, onUse } = this.#options
    const claims = form.read(token)
    const key = claims && directory.findCached(claims.keyId)
    const grant = key && this.#findGrant(key, claims)
    if (!grant || grant.key.moved || endOf(grant, claims, now())) return undefined
    onUse(claims.keyId)
    return grant.principal
  }

  async authenticate(token: string): Promise<Principal> {
    const { form, directory, now, onUse } = this.#options
    const claims = form.read(token)
    if (!claims) throw new ServiceError('TOKEN_INVALID', 'The token is invalid.')
    const key = await directory.findMatching(claims.keyId, (found) => this.#isMadeWith(found, claims))
    const grant = key && this.#findGrant(key, claims)
    if (!grant) throw secretReplaced()
    const reason = endOf(grant, claims, now())
    if (reason) throw refusalOf(reason)
    if (grant.key.moved) throw customerMoving()
    onUse(claims.keyId)
    return grant.principal
  }

  /** Those of the tokens that are still valid, with keys as they are now. */
  stillValid(tokens: readonly TokenClaims[], keys: ReadonlyMap<string, Credentials>): ReadonlySet<TokenClaims> {
    const now = this.#options.now()
    return new Set(
      tokens.filter((claims) => {
        const credentials = keys.get(claims.keyId)
        const grant = credentials && this.#findGrant(toKnownKey(credentials, now), claims)
        return grant && !endOf(grant, claims, now)
      }),
    )
  }

  #isMadeWith(key: KnownKey, claims: TokenClaims): boolean {
    const grant = this.#findGrant(key, claims)
    return grant !== undefined && this.#options.now() < grant.secretUntil
  }

  /** Undefined if the key does not have the secret any more. */
  #findGrant(key: KnownKey, claims: TokenClaims): Grant | undefined {
    const known = this.#grants.get(claims)
    if (known?.key === key) return known
    const secret = [{ hash: key.secretHash, until: Number.POSITIVE_INFINITY }, ...key.old].find(
      ({ hash }) => this.#options.form.markOf(hash) === claims.secretMark,
    )
    if (!secret) return undefined
    const grant = { key, principal: principalOf(key, claims, secret.hash), secretUntil: secret.until }
    this.#grants.set(claims, grant)
    return grant
  }
}

type End = 'API_KEY_REVOKED' | 'API_KEY_EXPIRED' | 'TOKEN_EXPIRED' | 'secret replaced'

/** Times are those of the database. */
function endOf({ key, secretUntil }: Grant, { expiresAtMs }: TokenClaims, now: number): End | undefined {
  if (now + key.databaseAheadMs >= expiresAtMs) return 'TOKEN_EXPIRED'
  return invalidReason(key, now) ?? (now < secretUntil ? undefined : 'secret replaced')
}

function refusalOf(end: End): ServiceError {
  if (end === 'secret replaced') return secretReplaced()
  return end === 'TOKEN_EXPIRED' ? new ServiceError(end, 'The token has expired.') : keyRefusal(end)
}

const secretReplaced = () =>
  new ServiceError('TOKEN_EXPIRED', 'The secret of the API key that made the token is no longer valid.')

/** Roles are for decisions of the holder of the key, so a token has none. */
function principalOf({ principal: ofKey }: KnownKey, token: TokenClaims, secretHash: Buffer): Principal {
  const scopes = grantedScopes(token.scopes.filter((scope) => ofKey.scopes.has(scope)))
  return {
    ...ofKey,
    scopes,
    roles: [],
    rolesFrom: 'identity',
    ...(token.limits && { limits: token.limits }),
    secretHash,
    hasOldSecret: ofKey.secretHash?.equals(secretHash) !== true,
    token,
  }
}
