// The v1 envelope that summarizes the input or output of a tool call.
import { z } from 'zod'
import { maxHighlights, previewLength } from '../vocabulary/limits.ts'
import { published } from './wire.ts'

export const toolSummarySchema = z
  .object({
    schema_version: z.literal('v1'),
    preview: published(z.string(), { type: 'string', maxLength: previewLength }).nullable(),
    highlights: z.array(z.object({ key: z.string(), value: z.string(), redacted: z.boolean() })).max(maxHighlights),
    stats: z.object({
      fields_total: z.int(),
      fields_redacted: z.int(),
      bytes_before_redaction: z.int(),
      bytes_after_redaction: z.int(),
    }),
    truncated: z.boolean(),
  })
  .meta({ id: 'ToolSummary' })
export type ToolSummary = z.infer<typeof toolSummarySchema>
