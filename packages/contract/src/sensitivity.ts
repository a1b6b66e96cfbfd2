// A sensitivity tag of a create request: which value, what kind of secret, how it is hidden.
import { z } from 'zod'
import { classifications, redactions } from './words.ts'

export const sensitivityTagSchema = z
  .strictObject({
    path: z.string().describe('RFC 9535 JSONPath that starts with `$.input` or `$.metadata`'),
    // Any text is a well-formed tag here: an unknown classification has a reason code of its own.
    classification: z.string().meta({ published: { type: 'string', enum: [...classifications] } }),
    redaction: z.enum(redactions).optional(),
    retention_hint_days: z.int().min(0).max(2_147_483_647).optional().describe('Advisory only'),
  })
  .meta({ id: 'SensitivityTag' })
export type SensitivityTag = z.infer<typeof sensitivityTagSchema>
