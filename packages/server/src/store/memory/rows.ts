// Rows of memory, and the condition that selects them. Every reader uses it; it names the customer.
import type { MemoryKind, MemoryStatus } from '@runwright/contract'

export interface MemoryRecord {
  readonly id: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runId: string | null
  readonly kind: MemoryKind
  readonly status: MemoryStatus
  readonly harness: boolean
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
  readonly confidence: number | null
  /** Saved by a run that had read untrusted text. */
  readonly untrusted: boolean
  readonly supersededBy: string | null
  readonly embeddingModel: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** An item without its content, which may be long. */
export interface MemoryHead extends Omit<MemoryRecord, 'content'> {
  readonly contentBytes: number
}

export interface MemoryFilter {
  readonly customerId: string
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly status: MemoryStatus | undefined
  readonly includeHarness: boolean
}

type MemoryHeadFields = {
  id: string
  workspace_id: string | null
  subject_id: string | null
  run_id: string | null
  kind: MemoryKind
  status: MemoryStatus
  harness: boolean
  title: string
  tags: string[]
  confidence: number | null
  untrusted: boolean
  superseded_by: string | null
  embedding_model: string | null
  created_ms: number
  updated_ms: number
}

export type MemoryRow = MemoryHeadFields & { content: string }
export type MemoryHeadRow = MemoryHeadFields & { content_bytes: number }

const columnsWithoutContent = `id, workspace_id, subject_id, run_id, kind, status, harness, title, tags, confidence,
  untrusted, superseded_by, embedding_model,
  floor(extract(epoch from created_at) * 1000)::bigint as created_ms,
  floor(extract(epoch from updated_at) * 1000)::bigint as updated_ms`

export const memoryColumns = `${columnsWithoutContent}, content`
/** PostgreSQL knows the length of a text without reading it. */
export const memoryHeadColumns = `${columnsWithoutContent}, octet_length(content) as content_bytes`

/** Takes `$1` to `$5`, as `valuesOf` gives them. */
export const matchingMemory = `
from memory_items
where customer_id = $1
  and ($2::text is null or workspace_id = $2)
  and ($3::text is null or subject_id = $3)
  and ($4::text is null or status = $4)
  and ($5::boolean or not harness)`

export const newestFirst = 'order by created_at desc, id desc'

export const valuesOf = ({ customerId, workspaceId, subjectId, status, includeHarness }: MemoryFilter) => [
  customerId,
  workspaceId,
  subjectId,
  status,
  includeHarness,
]

const withoutContent = (row: MemoryHeadFields): Omit<MemoryRecord, 'content'> => ({
  id: row.id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runId: row.run_id,
  kind: row.kind,
  status: row.status,
  harness: row.harness,
  title: row.title,
  tags: row.tags,
  confidence: row.confidence,
  untrusted: row.untrusted,
  supersededBy: row.superseded_by,
  embeddingModel: row.embedding_model,
  createdAt: new Date(row.created_ms),
  updatedAt: new Date(row.updated_ms),
})

export const toMemoryRecord = (row: MemoryRow): MemoryRecord => ({ ...withoutContent(row), content: row.content })

export const toMemoryHead = (row: MemoryHeadRow): MemoryHead => ({
  ...withoutContent(row),
  contentBytes: row.content_bytes,
})
