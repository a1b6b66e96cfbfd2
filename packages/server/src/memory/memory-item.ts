// Converts a memory record to its wire format: fields in a fixed order, ids with prefixes.
import type { MemoryItem } from '@runwright/contract'
import { toWireId } from '../runtime/ids.ts'
import type { MemoryRecord } from '../store/memory/rows.ts'

export const toMemoryItem = (record: MemoryRecord): MemoryItem => ({
  id: toWireId('mem', record.id),
  workspace_id: record.workspaceId,
  subject_id: record.subjectId,
  run_id: record.runId && toWireId('run', record.runId),
  kind: record.kind,
  status: record.status,
  harness: record.harness,
  title: record.title,
  content: record.content,
  tags: [...record.tags],
  confidence: record.confidence,
  superseded_by: record.supersededBy && toWireId('mem', record.supersededBy),
  embedding_model: record.embeddingModel,
  created_at: record.createdAt.toISOString(),
  updated_at: record.updatedAt.toISOString(),
})
