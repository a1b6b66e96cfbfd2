// Reads the content of one run with sealed values, for checks against its secrets outside of a worker.
import type { Database } from '../postgres/database.ts'
import { openContent, type RunContent, type StoredContent } from './content.ts'
import type { SealingKeys } from './sealing-keys.ts'

interface Dependencies {
  readonly database: Database
  readonly keys: SealingKeys
}

/** Undefined when the customer has no such run, or nothing in it is sealed. */
export async function findSecretContent(
  { database, keys }: Dependencies,
  run: { readonly customerId: string; readonly id: string },
): Promise<RunContent | undefined> {
  const [row] = await database.query<StoredContent>({
    name: 'find-secret-content',
    text: `
select run_id as id, customer_id, input, metadata, sensitivity_tags, plan, sealed, sealed_key
from run_inputs
where customer_id = $2 and run_id = $1 and sealed is not null`,
    values: [run.id, run.customerId],
  })
  if (!row) return undefined
  await keys.ensure([row.sealed_key ?? 0])
  return openContent(row, keys.keyring)
}
