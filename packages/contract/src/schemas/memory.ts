// Memory on the wire: items, their list and the Markdown export.
import { z } from 'zod'
import { defaultListPageSize, maxPageSize } from '../vocabulary/limits.ts'
import { memoryKinds, memoryStatuses } from '../vocabulary/vocabulary.ts'
import { id, instant, label, openEnum, queryBoolean, queryInteger } from './wire.ts'

export const memoryItemSchema = z
  .object({
    id: id('mem'),
    workspace_id: label.nullable(),
    subject_id: label.nullable(),
    run_id: id('run').nullable(),
    kind: openEnum(memoryKinds),
    status: openEnum(memoryStatuses),
    harness: z.boolean(),
    title: z.string(),
    content: z.string(),
    tags: z.array(z.string()),
    confidence: z.number().min(0).max(1).nullable(),
    superseded_by: id('mem').nullable(),
    embedding_model: z.string().nullable(),
    created_at: instant,
    updated_at: instant,
    embedding: z
      .array(z.number())
      .nullable()
      .optional()
      .describe('Only for a single item with `include_embedding=true`'),
  })
  .meta({ id: 'MemoryItem' })
export type MemoryItem = z.infer<typeof memoryItemSchema>

const filters = {
  workspace_id: label.optional(),
  subject_id: label.optional(),
  status: z.enum(memoryStatuses).optional(),
  include_harness: queryBoolean.optional(),
}

export const memoryExportQuerySchema = z.strictObject(filters)
export type MemoryExportQuery = z.infer<typeof memoryExportQuerySchema>

export const memoryListQuerySchema = z.strictObject({
  ...filters,
  limit: queryInteger(1, maxPageSize, defaultListPageSize).optional(),
  offset: queryInteger(0, 2_147_483_647, 0).optional(),
})
export type MemoryListQuery = z.infer<typeof memoryListQuerySchema>

export const memoryItemQuerySchema = z.strictObject({ ...filters, include_embedding: queryBoolean.optional() })
export type MemoryItemQuery = z.infer<typeof memoryItemQuerySchema>

export const memoryListSchema = z
  .object({ items: z.array(memoryItemSchema), limit: z.int(), offset: z.int() })
  .meta({ id: 'MemoryList' })
export type MemoryList = z.infer<typeof memoryListSchema>

export const memoryExportSchema = z
  .object({ files: z.array(z.object({ path: z.string(), content: z.string() })) })
  .meta({ id: 'MemoryExport' })
export type MemoryExport = z.infer<typeof memoryExportSchema>
