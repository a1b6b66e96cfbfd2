// Who is calling: what an API key stands for once its secret has been checked.
import type { Scope } from '@runwright/contract'

export interface Principal {
  readonly keyId: string
  readonly customerId: string
  readonly scopes: ReadonlySet<Scope>
  /** A suspended customer is known (401 does not apply) but may do nothing (403). */
  readonly suspended: boolean
}
