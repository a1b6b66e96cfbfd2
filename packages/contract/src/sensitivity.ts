// A sensitivity tag of a create request: which value is sensitive, its classification, and how it is redacted.
import { z } from 'zod'
import { classifications, redactions } from './vocabulary.ts'

export const sensitivityTagSchema = z
  .strictObject({
    path: z.string().describe('RFC 9535 JSONPath that starts with `$.input` or `$.metadata`'),
    // Any text passes here, because an unknown classification has its own reason code.
    classification: z.string().meta({ published: { type: 'string', enum: [...classifications] } }),
    redaction: z.enum(redactions).optional(),
    retention_hint_days: z.int().min(0).max(2_147_483_647).optional().describe('Advisory only'),
  })
  .meta({ id: 'SensitivityTag' })
export type SensitivityTag = z.infer<typeof sensitivityTagSchema>
