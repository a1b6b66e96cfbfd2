// Seals the copied secrets of webhooks again: each cell has data keys of its own.
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import { type SecretsRow, secretsColumns, secretsValues, toWebhookSecrets } from '../webhooks/sealed-secrets.ts'
import type { Clients } from './part-rows.ts'
import type { CellKeys } from './sealed-copies.ts'

export async function resealWebhooks({ source, target }: Clients, keys: CellKeys, customerId: string): Promise<void> {
  const { rows } = await source.query<SecretsRow>(`select ${secretsColumns} from webhooks where customer_id = $1`, [
    customerId,
  ])
  const found = rows.map((row) => toWebhookSecrets(customerId, row))
  await keys.source.ensure(found.flatMap(({ current, old }) => [current, ...old].map(({ keyId }) => keyId)))
  for (const was of found) {
    const reseal = (value: SealedValue) => keys.target.keyring.seal(keys.source.keyring.open(value, was), was)
    const resealed = { ...was, current: reseal(was.current), old: was.old.map(reseal) }
    await target.query(
      `
update webhooks
set sealed = $3, sealed_key = $4, old_sealed = $5, old_sealed_keys = $6
where customer_id = $1 and id = $2`,
      [customerId, was.webhookId, ...secretsValues(resealed)],
    )
  }
}
