// Saves memory items of one customer and supersedes the items that they replace, in one transaction under the
// customer's lock. The number of statements does not depend on the number of items.
import type { MemoryKind } from '@runwright/contract'
import type pg from 'pg'
import { type Database, withRetry } from '../postgres/database.ts'
import { encodeJson } from '../postgres/encode-json.ts'
import { lookUp } from '../postgres/look-up.ts'
import type { MemoryScope } from './area.ts'
import { type MemoryReader, readerInside } from './reader.ts'
import { firstSuccessors, type Replacement } from './successors.ts'
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

/** What the repeats of an item are searched with, while the customer's lock is held. */
export interface LockedMemory {
  readonly reader: MemoryReader
  /** All up to this version is committed. */
  readonly version: number
}

/** Returns which items, stored or among these, an item replaces because it says the same. */
type FindRepeats = (items: readonly NewMemoryItem[], locked: LockedMemory) => Promise<readonly Replacement[]>

/**
 * Saves items of one customer in their order: a later item replaces an earlier one as if it had been saved after it. A
 * repeated save has no effect: an existing item with this id stays as it is.
 */
export async function saveMemoryItems(
  database: Database,
  items: readonly NewMemoryItem[],
  findRepeats: FindRepeats,
): Promise<void> {
  const [first] = items
  if (!first) return
  const { customerId } = first
  await withRetry(() =>
    database.transaction(async (client) => {
      const version = await raiseMemoryVersion(client, customerId)
      const newItems = await withoutStored(client, customerId, items)
      if (newItems.length === 0) return
      const repeats = await findRepeats(newItems, { reader: readerInside(client), version: version - 1 })
      await supersede(client, { customerId, version, newItems, repeats })
      await insert(client, { customerId, version, newItems, repeats })
    }),
  )
}

async function withoutStored(
  client: pg.PoolClient,
  customerId: string,
  items: readonly NewMemoryItem[],
): Promise<NewMemoryItem[]> {
  const byId = new Map(items.toReversed().map((item) => [item.id, item]))
  const { rows } = await client.query<{ id: string }>(
    'select id from memory_items where customer_id = $1 and id = any($2::uuid[])',
    [customerId, [...byId.keys()]],
  )
  for (const { id } of rows) byId.delete(id)
  return items.filter((item) => byId.get(item.id) === item)
}

interface Saving {
  readonly customerId: string
  readonly version: number
  readonly newItems: readonly NewMemoryItem[]
  readonly repeats: readonly Replacement[]
}

const isReplaceable = `old.customer_id = $1
    and old.status = 'active'
    and not old.harness
    and old.workspace_id is not distinct from new.workspace_id
    and old.subject_id is not distinct from new.subject_id`

/** Of the new items that replace a stored one, the first is its successor. */
async function supersede(client: pg.PoolClient, { customerId, version, newItems, repeats }: Saving): Promise<void> {
  const rows = newItems.map(({ id, workspaceId, subjectId, title }, n) => ({
    n,
    id,
    workspace_id: workspaceId,
    subject_id: subjectId,
    title,
    replaces: repeats.filter(({ by }) => by === id).map(({ replaced }) => replaced),
  }))
  await client.query(
    `
with new as (
  select *
  from json_to_recordset($3::json) as n(n integer, id uuid, workspace_id text, subject_id text, title text, replaces uuid[])
),
match as (
  select old.id, new.id as successor, new.n
  from new
  join memory_items old on ${isReplaceable} and ${lookUp({ 'md5(old.title)': 'md5(new.title)' })} and old.title = new.title
  union all
  select old.id, new.id, new.n
  from new
  cross join unnest(new.replaces) as repeat(id)
  join memory_items old on ${isReplaceable} and ${lookUp({ 'old.id': 'repeat.id' })}
),
replaced as (
  select distinct on (id) id, successor
  from match
  order by id, n
)
update memory_items item
set status = 'superseded',
  superseded_by = replaced.successor,
  version = $2,
  updated_at = greatest(item.updated_at, date_trunc('milliseconds', clock_timestamp()))
from replaced
where item.customer_id = $1 and item.id = replaced.id`,
    [customerId, version, encodeJson(rows)],
  )
}

async function insert(client: pg.PoolClient, { customerId, version, newItems, repeats }: Saving): Promise<void> {
  const successors = firstSuccessors(newItems, repeats)
  const rows = newItems.map((item, n) => ({ n, ...rowOf(item), superseded_by: successors.get(item.id) }))
  await client.query(
    `
insert into memory_items (customer_id, version, id, workspace_id, subject_id, run_id, kind, title, content, tags,
  embedding_model, embedding_bytes, confidence, untrusted, status, superseded_by, created_at, updated_at)
select $1, $2, id, workspace_id, subject_id, run_id, kind, title, content, tags, embedding_model,
  decode(embedding, 'base64'), confidence, untrusted,
  case when superseded_by is null then 'active' else 'superseded' end, superseded_by, at, at
from json_to_recordset($3::json) as new(
  n integer, id uuid, workspace_id text, subject_id text, run_id uuid, kind text, title text, content text, tags text[],
  embedding_model text, embedding text, confidence double precision, untrusted boolean, superseded_by uuid)
cross join date_trunc('milliseconds', clock_timestamp()) as at
order by n`,
    [customerId, version, encodeJson(rows)],
  )
}

const rowOf = (item: NewMemoryItem) => ({
  id: item.id,
  workspace_id: item.workspaceId,
  subject_id: item.subjectId,
  run_id: item.runId,
  kind: item.kind,
  title: item.title,
  content: item.content,
  tags: item.tags,
  embedding_model: item.embedding?.model,
  embedding: item.embedding && toVectorBytes(item.embedding.vector).toString('base64'),
  confidence: item.confidence,
  untrusted: item.untrusted ?? false,
})
