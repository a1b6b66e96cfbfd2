// Signals on the wire: the input of a run that awaits it.
import { z } from 'zod'
import { maxAnsweredCalls, maxCallErrorLength, maxIdempotencyKeyLength } from '../vocabulary/limits.ts'
import { signalActions } from '../vocabulary/vocabulary.ts'
import { jsonObject, published, requestId, text } from './wire.ts'

export const idempotencyKeySchema = published(z.string().regex(/^[\x20-\x7e]{1,255}$/), {
  type: 'string',
  minLength: 1,
  maxLength: maxIdempotencyKeyLength,
  pattern: '^[\\x20-\\x7e]+$',
})

const spoken = text(1, maxCallErrorLength).refine((value) => value.trim() !== '', { error: 'must not be blank' })

const decisionFields = {
  deny: spoken.optional().describe('The call is not made. The model is told this reason, and goes on'),
  arguments: jsonObject
    .optional()
    .describe('The call is made with these arguments. Not while the outcome of the call is unknown'),
  result: z.unknown().optional().describe('The call is not made: this is its result'),
  error: spoken
    .optional()
    .describe('The call was made, and failed with this message. Only with `tool_outcome_unknown`'),
}

const names = Object.keys(decisionFields)
const countOf = (value: object, of: readonly string[]): number => of.filter((name) => Object.hasOwn(value, name)).length

/** A check that exactly one of the fields is there. */
const hasOneOf =
  (of: readonly string[]) =>
  ({ value, issues }: { value: object; issues: z.core.$ZodRawIssue[] }) => {
    if (countOf(value, of) === 1) return
    issues.push({ code: 'custom', message: `must have exactly one of ${of.join(', ')}`, input: value, path: [] })
  }

/** What a person decides about a tool call instead of approving it as it is. */
export const answeredCallSchema = z
  .strictObject(decisionFields)
  .check(hasOneOf(names))
  .meta({ id: 'AnsweredCall', minProperties: 1, maxProperties: 1 })
export type AnsweredCall = z.infer<typeof answeredCallSchema>

/** One of several calls that are decided with one signal. */
export const decidedCallSchema = z
  .strictObject({
    call_id: text(1, 255).describe('Of a call of `awaiting_input.calls`'),
    approve: z.literal(true).optional().describe('The call is made as it is'),
    ...decisionFields,
  })
  .check(hasOneOf(['approve', ...names]))
  .meta({ id: 'DecidedCall', minProperties: 2, maxProperties: 2 })
export type DecidedCall = z.infer<typeof decidedCallSchema>

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
      .describe(
        'With `submit_input`, while the run waits about a tool call: what becomes of the call. Without `payload`, unless the question has an `approval_schema`',
      ),
    calls: z
      .array(decidedCallSchema)
      .min(1)
      .max(maxAnsweredCalls)
      .refine((list) => new Set(list.map(({ call_id }) => call_id)).size === list.length, {
        error: 'contains a call_id twice',
      })
      .optional()
      .describe(
        'Instead of `call`: decides about several calls of `awaiting_input.calls` at once. Those that it leaves out are asked about again',
      ),
  })
  .meta({ id: 'Signal' })
export type Signal = z.infer<typeof signalSchema>

export const signalResultSchema = z.object({ ok: z.literal(true), request_id: requestId }).meta({ id: 'SignalResult' })
export type SignalResult = z.infer<typeof signalResultSchema>
