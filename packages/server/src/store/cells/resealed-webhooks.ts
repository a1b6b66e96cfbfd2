// Seals the copied secrets of webhooks again: each cell has data keys of its own.
import type { SealedValue } from '../../runtime/cipher-keyring.ts'
import type { Clients } from './part-rows.ts'
import type { CellKeys } from './sealed-copies.ts'

type SecretsRow = {
  id: string
  sealed: Buffer
  sealed_key: number
  previous_sealed: Buffer | null
  previous_sealed_key: number | null
}

export async function resealWebhooks({ source, target }: Clients, keys: CellKeys, customerId: string): Promise<void> {
  const { rows } = await source.query<SecretsRow>(
    'select id, sealed, sealed_key, previous_sealed, previous_sealed_key from webhooks where customer_id = $1',
    [customerId],
  )
  await keys.source.ensure(rows.flatMap((row) => [row.sealed_key, row.previous_sealed_key ?? row.sealed_key]))
  for (const row of rows) {
    const owner = { customerId, webhookId: row.id }
    const reseal = (value: SealedValue) => keys.target.keyring.seal(keys.source.keyring.open(value, owner), owner)
    const current = reseal({ bytes: row.sealed, keyId: row.sealed_key })
    const previous =
      row.previous_sealed && reseal({ bytes: row.previous_sealed, keyId: row.previous_sealed_key ?? row.sealed_key })
    await target.query(
      `
update webhooks
set sealed = $3, sealed_key = $4, previous_sealed = $5, previous_sealed_key = $6
where customer_id = $1 and id = $2`,
      [customerId, row.id, current.bytes, current.keyId, previous?.bytes ?? null, previous?.keyId ?? null],
    )
  }
}
