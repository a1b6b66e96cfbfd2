// Usage on the wire: the queries, the aggregated rows, and the individual records.
import { z } from 'zod'
import { defaultListPageSize, maxPageSize } from '../vocabulary/limits.ts'
import { granularities } from '../vocabulary/vocabulary.ts'
import { id, instant, label, queryCursor, queryInstant, queryInteger, queryList, requestId, text } from './wire.ts'

const filters = {
  workspace_id: label.optional(),
  subject_id: label.optional(),
  event_type: text(1, 255).optional(),
  start: queryInstant.optional(),
  end: queryInstant.optional(),
}

export const usageQuerySchema = z.strictObject({
  ...filters,
  granularity: z.enum(granularities).optional(),
  group_by: queryList(['workspace_id', 'subject_id']).optional(),
})
export type UsageQuery = z.infer<typeof usageQuerySchema>

export const usageRowSchema = z
  .object({
    event_type: z.string(),
    count: z.int(),
    total_quantity: z.int(),
    period: z.string().describe('`2026-11-15T02:00:00Z`, `2026-11-15` or `2026-11`'),
    workspace_id: label.nullable(),
    subject_id: label.nullable(),
  })
  .meta({ id: 'UsageRow' })
export type UsageRow = z.infer<typeof usageRowSchema>

export const usageSchema = z
  .object({
    usage: z.array(usageRowSchema),
    period: z.object({ start: instant, end: instant }),
    granularity: z.enum(granularities),
    request_id: requestId,
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof usageSchema>

export const usageEventsQuerySchema = z.strictObject({
  ...filters,
  limit: queryInteger(1, maxPageSize, defaultListPageSize).optional(),
  cursor: queryCursor.optional(),
})
export type UsageEventsQuery = z.infer<typeof usageEventsQuerySchema>

export const usageEventSchema = z
  .object({
    event_type: z.string(),
    quantity: z.int(),
    at: instant,
    run_id: id('run'),
    key: z.string().describe('Opaque; unique within the run'),
    workspace_id: label.nullable(),
    subject_id: label.nullable(),
    details: z
      .record(z.string(), z.union([z.number(), z.boolean(), z.string()]))
      .optional()
      .describe(
        'Of tokens: the `model`; `input`, `output`, `cached` and `reasoning` tokens; `estimated` if the provider gave no count',
      ),
  })
  .meta({ id: 'UsageEvent' })
export type UsageEvent = z.infer<typeof usageEventSchema>

export const usageEventPageSchema = z
  .object({ events: z.array(usageEventSchema), next_cursor: z.string().nullable(), request_id: requestId })
  .meta({ id: 'UsageEventPage' })
export type UsageEventPage = z.infer<typeof usageEventPageSchema>
