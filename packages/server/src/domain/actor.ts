// Who did something, for the audit log: an API key, or the operator.
import type { AuditChannel } from '@runwright/contract'

export interface Actor {
  /** Null: the operator. */
  readonly keyId: string | null
  readonly via: AuditChannel
}

/** Someone with access to the host of the service: its commands and settings. */
export const operator: Actor = { keyId: null, via: 'operator' }

/** A caller without a key is the operator. */
export const actorOf = ({ keyId, sessionId }: { readonly keyId?: string; readonly sessionId?: string }): Actor => {
  if (keyId === undefined) return operator
  return { keyId, via: sessionId === undefined ? 'api' : 'console' }
}
