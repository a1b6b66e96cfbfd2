// A sensitivity tag of a create request: which value is sensitive, its classification, and how it is redacted.
import { z } from 'zod'
import { maxTagPathLength, maxTagReceivers } from '../vocabulary/limits.ts'
import { classifications, redactions } from '../vocabulary/vocabulary.ts'
import { published } from './wire.ts'

/** Excludes `$.inputs`, and also `$['input']` and `$ .input`, which mean the same as `$.input`. */
export const tagPathStart = /^\$\.(?:input|metadata)(?:$|\.|\[)/

/** A tool, or the host of a URL that `http_fetch` requests. */
const receiver =
  /^(?:tool:[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_.-]{1,128})?|host:(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]))$/

export const sensitivityTagSchema = z
  .strictObject({
    // Any text passes here, because an invalid path has its own reason code.
    path: published(z.string(), { type: 'string', maxLength: maxTagPathLength, pattern: tagPathStart.source }).describe(
      'RFC 9535 JSONPath that starts with `$.input` or `$.metadata`',
    ),
    // Any text passes here, because an unknown classification has its own reason code.
    classification: z.string().meta({ published: { type: 'string', enum: [...classifications] } }),
    redaction: z.enum(redactions).optional(),
    allow: z
      .array(z.string().regex(receiver))
      .max(maxTagReceivers)
      .optional()
      .describe(
        'Who may receive the value from a model without approval: `tool:<name>`, or `host:<name>` for `http_fetch`. Default: no one',
      ),
    retention_hint_days: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe('Shortens the retention of the run, if the service has one; never lengthens it'),
  })
  .meta({ id: 'SensitivityTag' })
export type SensitivityTag = z.infer<typeof sensitivityTagSchema>
