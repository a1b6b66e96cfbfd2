// Vectors in pgvector, if the server has the extension: for customers with more vectors than a process keeps in memory.
// They have their own table, which the searches fill when they need it, because the extension can be installed and
// removed at any time. There is no approximate index: it would search the vectors of all customers to find those of
// one.
import type { Database } from '../postgres/database.ts'
import { areaValues, inArea, type MemoryArea } from './area.ts'
import type { MemoryReader } from './reader.ts'
import { toVectorChange, type VectorChange, type VectorChangeRow, vectorPageSize } from './vectors.ts'

// An arbitrary number that no other advisory lock in the database uses.
const pgvectorLock = 7_205_201_125

/** False when the server does not offer the extension. */
export async function preparePgvector(database: Database): Promise<boolean> {
  const [found] = await database.query<{ there: boolean }>({
    text: "select exists (select from pg_available_extensions where name = 'vector') as there",
  })
  if (!found?.there) return false
  await database.transaction(async (client) => {
    // One process at a time: "if not exists" does not prevent a collision.
    await client.query('select pg_advisory_xact_lock($1)', [pgvectorLock])
    await client.query('create extension if not exists vector')
    await client.query(`
create table if not exists memory_pgvectors (
  customer_id text not null,
  item_id uuid not null,
  version bigint not null,
  vector vector not null,
  primary key (customer_id, item_id)
)`)
  })
  return true
}

interface VectorQuery {
  readonly model: string
  readonly vector: Float32Array
  readonly limit: number
}

const textOf = (vector: Float32Array) => `[${vector.join()}]`

/** Searches only vectors of the current version of their item. */
export const nearestByPgvector = (
  reader: MemoryReader,
  area: MemoryArea,
  { model, vector, limit }: VectorQuery,
): Promise<{ id: string; similarity: number }[]> =>
  reader.query({
    text: `
select id, 1 - (vector <=> $6::text::vector) as similarity
from memory_items
join memory_pgvectors using (customer_id, version)
${inArea}
  and item_id = id
  and embedding_model = $5
order by similarity desc, id desc
limit $7`,
    values: [...areaValues(area), model, textOf(vector), limit],
  })

/** Vectors that are missing or outdated in pgvector, in the order of their ids, after `afterId`. */
export async function readUnfilledVectors(
  reader: MemoryReader,
  page: { readonly customerId: string; readonly model: string; readonly afterId: string },
): Promise<VectorChange[]> {
  const rows = await reader.query<VectorChangeRow>({
    text: `
select id, version, workspace_id, subject_id, kind, embedding_bytes as bytes
from memory_items
where customer_id = $1
  and embedding_model = $2
  and embedding_bytes is not null
  and status = 'active'
  and not harness
  and id > $3
  and not exists (
    select from memory_pgvectors p
    where p.customer_id = $1 and p.item_id = memory_items.id and p.version = memory_items.version
  )
order by id
limit $4`,
    values: [page.customerId, page.model, page.afterId, vectorPageSize],
  })
  return rows.map(toVectorChange)
}

/** In the order of the ids, so that two processes cannot deadlock. Items that are being deleted get no vector. */
export async function fillPgvector(reader: MemoryReader, customerId: string, vectors: readonly VectorChange[]) {
  await reader.query({
    text: `
insert into memory_pgvectors (customer_id, item_id, version, vector)
select $1, filled.id, filled.version, filled.vector::vector
from unnest($2::uuid[], $3::bigint[], $4::text[]) as filled(id, version, vector)
join memory_items item on item.customer_id = $1 and item.id = filled.id
order by filled.id
for key share of item
on conflict (customer_id, item_id) do update set version = excluded.version, vector = excluded.vector`,
    values: [
      customerId,
      vectors.map(({ id }) => id),
      vectors.map(({ version }) => version),
      vectors.map(({ vector }) => vector && textOf(vector)),
    ],
  })
}
