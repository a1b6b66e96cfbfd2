// Finds a signal that was applied before under the same idempotency key.
import type { Database } from '../postgres/database.ts'

interface SentSignal {
  readonly bodyHash: Buffer
}

export async function findSignal(
  database: Database,
  run: { readonly customerId: string; readonly id: string },
  idempotencyKey: string,
): Promise<SentSignal | undefined> {
  const [row] = await database.query<{ body_hash: Buffer }>({
    name: 'find-signal',
    text: `
select body_hash
from signals
where customer_id = $2 and run_id = $1 and idempotency_key = $3`,
    values: [run.id, run.customerId, idempotencyKey],
  })
  return row && { bodyHash: row.body_hash }
}
