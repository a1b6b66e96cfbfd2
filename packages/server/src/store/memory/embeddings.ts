// Finds items without an embedding of the current model, and stores new embeddings.
import type pg from 'pg'
import { type Database, withRetry } from '../postgres/database.ts'
import type { Embedding } from './save.ts'
import { toVectorBytes } from './vector-bytes.ts'
import { raiseMemoryVersion } from './version.ts'

interface UnembeddedItem {
  readonly id: string
  readonly customerId: string
  readonly title: string
  readonly content: string
}

type UnembeddedRow = { id: string; customer_id: string; title: string; content: string }

const columns = `id, customer_id, title, left(content, 20000) as content
  from memory_items
  where status = 'active' and not harness`

/** Three ranges of one index: the condition "another model" would read all of it. */
export async function findUnembedded(database: Database, model: string, limit: number): Promise<UnembeddedItem[]> {
  const rows = await database.query<UnembeddedRow>({
    text: `
(select ${columns} and embedding_model is null limit $2)
union all (select ${columns} and embedding_model < $1 limit $2)
union all (select ${columns} and embedding_model > $1 limit $2)
limit $2`,
    values: [model, limit],
  })
  return rows.map(({ id, customer_id, title, content }) => ({ id, customerId: customer_id, title, content }))
}

interface NewEmbedding {
  readonly id: string
  readonly embedding: Embedding
}

/** Of one customer's items. */
export const storeEmbeddings = (
  database: Database,
  customerId: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const version = await raiseMemoryVersion(client, customerId)
      for (const embedding of embeddings) await storeOne(client, { customerId, version }, embedding)
    }),
  )

async function storeOne(
  client: pg.PoolClient,
  { customerId, version }: { readonly customerId: string; readonly version: number },
  { id, embedding }: NewEmbedding,
): Promise<void> {
  await client.query(
    `
update memory_items
set embedding_model = $3,
  embedding_bytes = $4,
  version = $2
where customer_id = $5
  and id = $1
  and status = 'active'`,
    [id, version, embedding.model, toVectorBytes(embedding.vector), customerId],
  )
}
