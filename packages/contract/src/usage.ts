// Usage on the wire: the query and the rows of metering data.
import { z } from 'zod'
import { instant, label, queryInstant, queryWords, requestId, text } from './wire.ts'
import { granularities } from './words.ts'

export const usageQuerySchema = z.strictObject({
  workspace_id: label.optional(),
  subject_id: label.optional(),
  event_type: text(1, 255).optional(),
  start: queryInstant.optional(),
  end: queryInstant.optional(),
  granularity: z.enum(granularities).optional(),
  group_by: queryWords(['workspace_id', 'subject_id']).optional(),
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
