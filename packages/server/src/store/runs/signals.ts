// Reads what became of a signal that was sent before under the same idempotency key.
import type { Database } from '../postgres/database.ts'

export interface SentSignal {
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
select s.body_hash
from signals s
join runs r on r.id = s.run_id
where s.run_id = $1 and r.customer_id = $2 and s.idempotency_key = $3`,
    values: [run.id, run.customerId, idempotencyKey],
  })
  return row && { bodyHash: row.body_hash }
}
