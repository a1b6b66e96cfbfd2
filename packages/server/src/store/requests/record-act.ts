// Records who did what, in the transaction of the act. A job then appends the record to the customer's chain.
import type { AuditAction } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'

/** More about an act. No text of a client but names of workspaces: the record outlives the erasure of a subject. */
export type ActDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface Act {
  readonly customerId: string
  readonly by: Actor
  readonly action: AuditAction
  /** The id that the API shows of what was acted on. */
  readonly target?: string
  readonly details?: ActDetails
}

export async function recordAct(client: pg.ClientBase, { customerId, by, action, ...rest }: Act): Promise<void> {
  const { target = null, details } = rest
  await client.query(
    `
insert into audit_queue (customer_id, at, action, key_id, via, target, details)
values ($1, date_trunc('milliseconds', clock_timestamp()), $2, $3, $4, $5, $6)`,
    [customerId, action, by.keyId, by.via, target, details && JSON.stringify(details)],
  )
}
