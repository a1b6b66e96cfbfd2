// Finds secrets of webhooks that are sealed with an older data key, and replaces them by the same secrets, sealed with
// a newer one. A row is replaced only if it is still as it was found.
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../postgres/database.ts'

export interface WebhookSecrets {
  readonly customerId: string
  readonly webhookId: string
  readonly current: SealedValue
  /** Secrets from before rotations. */
  readonly old: readonly SealedValue[]
}

export type SecretsRow = {
  id: string
  sealed: Buffer
  sealed_key: number
  old_sealed: Buffer[]
  old_sealed_keys: number[]
}

export const secretsColumns = 'id, sealed, sealed_key, old_sealed, old_sealed_keys'

export const toWebhookSecrets = (customerId: string, row: SecretsRow): WebhookSecrets => ({
  customerId,
  webhookId: row.id,
  current: { bytes: row.sealed, keyId: row.sealed_key },
  old: row.old_sealed.map((bytes, index) => ({ bytes, keyId: row.old_sealed_keys[index] ?? 0 })),
})

/** The values for `sealed`, `sealed_key`, `old_sealed` and `old_sealed_keys`. */
export const secretsValues = ({ current, old }: WebhookSecrets): unknown[] => [
  current.bytes,
  current.keyId,
  old.map(({ bytes }) => bytes),
  old.map(({ keyId }) => keyId),
]

/** Those of all customers: there are few, compared with the values of runs. */
export async function findWebhookSecretsBefore(database: Database, keyId: number): Promise<WebhookSecrets[]> {
  const rows = await database.query<SecretsRow & { customer_id: string }>({
    text: `
select customer_id, ${secretsColumns}
from webhooks
where sealed_key < $1 or $1 > any (old_sealed_keys)`,
    values: [keyId],
  })
  return rows.map((row) => toWebhookSecrets(row.customer_id, row))
}

/** Returns whether the secrets were still those that were found. */
export async function replaceWebhookSecrets(
  database: Database,
  secrets: WebhookSecrets,
  was: WebhookSecrets,
): Promise<boolean> {
  const rows = await database.query({
    text: `
update webhooks
set sealed = $3, sealed_key = $4, old_sealed = $5, old_sealed_keys = $6
where customer_id = $1 and id = $2 and sealed = $7 and old_sealed = $8
returning 1`,
    values: [
      secrets.customerId,
      secrets.webhookId,
      ...secretsValues(secrets),
      was.current.bytes,
      was.old.map(({ bytes }) => bytes),
    ],
  })
  return rows.length > 0
}
