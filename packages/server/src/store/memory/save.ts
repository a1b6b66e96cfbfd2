// Saves a memory item and supersedes the items that it replaces, in one transaction under the customer's lock.
import type { MemoryKind } from '@runwright/contract'
import type pg from 'pg'
import { type Database, withRetry } from '../postgres/database.ts'
import type { MemoryScope } from './area.ts'
import { type MemoryReader, readerInside } from './reader.ts'
import { toVectorBytes } from './vector-bytes.ts'
import { raiseMemoryVersion } from './version.ts'

export interface Embedding {
  readonly model: string
  readonly vector: Float32Array
}

export interface NewMemoryItem extends MemoryScope {
  readonly id: string
  readonly runId: string
  readonly kind: MemoryKind
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
  readonly confidence?: number | null
  /** Default: false. */
  readonly untrusted?: boolean
  readonly embedding: Embedding | undefined
}

/** Returns the ids of items with the same meaning. Called under the lock: all up to `version` is committed. */
type FindRepeats = (reader: MemoryReader, version: number) => Promise<readonly string[]>

interface Saved {
  /** The ids of the items that it replaced. */
  readonly superseded: readonly string[]
}

/** A repeated save has no effect: an existing item with this id stays as it is. */
export const saveMemoryItem = (database: Database, item: NewMemoryItem, findRepeats: FindRepeats): Promise<Saved> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const version = await raiseMemoryVersion(client, item.customerId)
      if (await isThere(client, item)) return { superseded: [] }
      const repeats = await findRepeats(readerInside(client), version - 1)
      const superseded = await supersede(client, item, { version, repeats })
      await insert(client, item, version)
      return { superseded }
    }),
  )

async function isThere(client: pg.PoolClient, { customerId, id }: NewMemoryItem): Promise<boolean> {
  const { rowCount } = await client.query('select from memory_items where customer_id = $1 and id = $2', [
    customerId,
    id,
  ])
  return rowCount === 1
}

interface Replacing {
  readonly version: number
  readonly repeats: readonly string[]
}

async function supersede(
  client: pg.PoolClient,
  { id, customerId, workspaceId, subjectId, title }: NewMemoryItem,
  { version, repeats }: Replacing,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `
update memory_items
set status = 'superseded',
  superseded_by = $2,
  version = $3,
  updated_at = greatest(updated_at, date_trunc('milliseconds', clock_timestamp()))
where customer_id = $1
  and status = 'active'
  and not harness
  and workspace_id is not distinct from $4
  and subject_id is not distinct from $5
  and (md5(title) = md5($6) and title = $6 or id = any($7::uuid[]))
returning id`,
    [customerId, id, version, workspaceId, subjectId, title, repeats],
  )
  return rows.map((row) => row.id)
}

async function insert(client: pg.PoolClient, item: NewMemoryItem, version: number): Promise<void> {
  const {
    id,
    customerId,
    workspaceId,
    subjectId,
    runId,
    kind,
    title,
    content,
    tags,
    embedding,
    confidence,
    untrusted,
  } = item
  await client.query(
    `
insert into memory_items (id, customer_id, workspace_id, subject_id, run_id, kind, title, content, tags, version,
  embedding_model, embedding_bytes, confidence, untrusted, created_at, updated_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, now_ms, now_ms
from date_trunc('milliseconds', clock_timestamp()) as now_ms`,
    [
      ...[id, customerId, workspaceId, subjectId, runId, kind, title, content, tags, version],
      ...[embedding?.model, embedding && toVectorBytes(embedding.vector), confidence ?? null, untrusted ?? false],
    ],
  )
}
