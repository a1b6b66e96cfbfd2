// Signals on the wire: the input of a run that awaits it.
import { z } from 'zod'
import { maxCallErrorLength, maxIdempotencyKeyLength } from '../vocabulary/limits.ts'
import { signalActions } from '../vocabulary/vocabulary.ts'
import { published, requestId, text } from './wire.ts'

export const idempotencyKeySchema = published(z.string().regex(/^[\x20-\x7e]{1,255}$/), {
  type: 'string',
  minLength: 1,
  maxLength: maxIdempotencyKeyLength,
  pattern: '^[\\x20-\\x7e]+$',
})

/** What a person says about a call whose outcome is not known. */
export const answeredCallSchema = z
  .strictObject({ error: text(1, maxCallErrorLength).describe('The call was made, and failed with this message') })
  .meta({ id: 'AnsweredCall' })
export type AnsweredCall = z.infer<typeof answeredCallSchema>

export const signalSchema = z
  .strictObject({
    action: z.enum(signalActions),
    payload: z.unknown().optional().describe('Any JSON: the `reason` of a `reject`, the data of a `submit_input`'),
    idempotency_key: idempotencyKeySchema.optional(),
    await_seq: z
      .int()
      .min(1)
      .optional()
      .describe('The `seq` of the `run.awaiting_input` event that this signal responds to'),
    call: answeredCallSchema
      .optional()
      .describe('With `submit_input` and without `payload`, while the run waits with `tool_outcome_unknown`'),
  })
  .meta({ id: 'Signal' })
export type Signal = z.infer<typeof signalSchema>

export const signalResultSchema = z.object({ ok: z.literal(true), request_id: requestId }).meta({ id: 'SignalResult' })
export type SignalResult = z.infer<typeof signalResultSchema>
