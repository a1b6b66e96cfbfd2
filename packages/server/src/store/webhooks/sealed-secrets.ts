// Finds secrets of webhooks that are sealed with an older data key, and replaces them by the same secrets, sealed with
// a newer one. A row is replaced only if it is still as it was found.
import type { SealedValue } from '../../runtime/cipher-keyring.ts'
import type { Database } from '../postgres/database.ts'

export interface WebhookSecrets {
  readonly customerId: string
  readonly webhookId: string
  readonly current: SealedValue
  readonly previous: SealedValue | undefined
}

type SecretsRow = {
  customer_id: string
  id: string
  sealed: Buffer
  sealed_key: number
  previous_sealed: Buffer | null
  previous_sealed_key: number | null
}

/** Those of all customers: there are few, compared with the values of runs. */
export async function findWebhookSecretsBefore(database: Database, keyId: number): Promise<WebhookSecrets[]> {
  const rows = await database.query<SecretsRow>({
    text: `
select customer_id, id, sealed, sealed_key, previous_sealed, previous_sealed_key
from webhooks
where sealed_key < $1 or previous_sealed_key < $1`,
    values: [keyId],
  })
  return rows.map((row) => ({
    customerId: row.customer_id,
    webhookId: row.id,
    current: { bytes: row.sealed, keyId: row.sealed_key },
    previous:
      row.previous_sealed && row.previous_sealed_key !== null
        ? { bytes: row.previous_sealed, keyId: row.previous_sealed_key }
        : undefined,
  }))
}

/** Returns whether the secrets were still those that were found. */
export async function replaceWebhookSecrets(
  database: Database,
  { customerId, webhookId, current, previous }: WebhookSecrets,
  was: WebhookSecrets,
): Promise<boolean> {
  const rows = await database.query({
    text: `
update webhooks
set sealed = $3, sealed_key = $4, previous_sealed = $5, previous_sealed_key = $6
where customer_id = $1 and id = $2 and sealed = $7 and previous_sealed is not distinct from $8
returning 1`,
    values: [
      customerId,
      webhookId,
      current.bytes,
      current.keyId,
      previous?.bytes ?? null,
      previous?.keyId ?? null,
      was.current.bytes,
      was.previous?.bytes ?? null,
    ],
  })
  return rows.length > 0
}
