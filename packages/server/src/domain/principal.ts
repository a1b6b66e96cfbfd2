// The authenticated caller: what an API key grants once its secret is verified.
import type { Scope } from '@runwright/contract'

export interface Principal {
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
}
