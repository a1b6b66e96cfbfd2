// Seals the copied bodies of schedules again: each cell has data keys of its own.
import type { Clients } from './part-rows.ts'
import type { CellKeys } from './sealed-copies.ts'

type SealedRow = { id: string; sealed: Buffer; sealed_key: number }

/** One at a time: a body can be large. */
export async function resealSchedules({ source, target }: Clients, keys: CellKeys, customerId: string): Promise<void> {
  const { rows: ids } = await source.query<{ id: string; sealed_key: number }>(
    'select id, sealed_key from schedules where customer_id = $1',
    [customerId],
  )
  await keys.source.ensure(ids.map(({ sealed_key }) => sealed_key))
  for (const { id } of ids) {
    const { rows } = await source.query<SealedRow>(
      'select id, sealed, sealed_key from schedules where customer_id = $1 and id = $2',
      [customerId, id],
    )
    for (const { sealed, sealed_key } of rows) {
      const owner = { customerId, scheduleId: id }
      const opened = keys.source.keyring.open({ bytes: sealed, keyId: sealed_key }, owner)
      const { bytes, keyId } = keys.target.keyring.seal(opened, owner)
      await target.query('update schedules set sealed = $3, sealed_key = $4 where customer_id = $1 and id = $2', [
        customerId,
        id,
        bytes,
        keyId,
      ])
    }
  }
}
