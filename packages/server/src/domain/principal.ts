// The authenticated caller: what an API key grants once its secret is verified.
import type { Scope } from '@runwright/contract'
import type { ActorLimits, Caller, SignIn } from './actor.ts'

/** `actorOf` makes the value of it that is handed on: who acts, with roles and limits. */
export interface Principal extends Caller {
  readonly keyId: string
  readonly keyName: string | null
  readonly customerId: string
  /** Including the scopes that others include. */
  readonly scopes: ReadonlySet<Scope>
  /** A suspended customer is authenticated (no 401) but every request is forbidden (403). */
  readonly suspended: boolean
  /** The hash of the secret that it authenticated with. */
  readonly secretHash?: Buffer
  /** That is a secret from before a rotation, which is valid for a while only. */
  readonly hasOldSecret?: boolean
  /** It authenticated with this session of the console instead of the secret. */
  readonly sessionId?: string
  /** A person who has signed in. */
  readonly signIn?: SignIn
  /** It authenticated with this token of the key. */
  readonly token?: TokenClaims
}

/** What a token says about itself. */
export interface TokenClaims {
  readonly keyId: string
  /** Of the secret of the key that made it. */
  readonly secretMark: string
  readonly scopes: readonly Scope[]
  readonly limits?: ActorLimits
  /** The same for all tokens of a key with the same limits. */
  readonly limitsId?: string
  readonly origin?: string
  readonly expiresAtMs: number
}
