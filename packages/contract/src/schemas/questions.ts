// Questions of runs on the wire: what a person is asked, who may decide, what was answered.
import { z } from 'zod'
import { auditChannels, inputKinds, readKinds, signalActions } from '../vocabulary/vocabulary.ts'
import { eventReasonSchema } from './events.ts'
import { answeredCallSchema, decidedCallSchema } from './signals.ts'
import { instant, jsonObject, openEnum } from './wire.ts'

const jsonSchemaOrNull = jsonObject.nullable()

export const askedCallSchema = z
  .object({
    call_id: z.string().describe('Names the call in `calls` of the signal'),
    tool: z.string(),
    arguments: z.unknown().describe('In full, with tagged values masked'),
    arguments_hash: z.string().nullable(),
    arguments_schema: jsonSchemaOrNull,
    why: z.string(),
    has_read: z.array(openEnum(readKinds)),
    idempotency_key: z.string(),
  })
  .meta({ id: 'AskedCall' })
export type AskedCall = z.infer<typeof askedCallSchema>

/** What a person is asked. The fields from `tool` on are null if the answer does not decide about a tool call. */
const questionFields = {
  reason_code: eventReasonSchema,
  input_kind: z.enum(inputKinds).nullable(),
  prompt: z.string().nullable().describe('Ends in "…" if it does not show the arguments in full'),
  tool: z.string().nullable().describe('The tool that is called if the answer is `approve`'),
  arguments: z.unknown().describe('The arguments of the call in full, with tagged values masked'),
  arguments_hash: z
    .string()
    .nullable()
    .describe('The approval is valid only for a call with this hash. Null if the answer can change the arguments'),
  why: z.string().nullable().describe('Why the service asks'),
  has_read: z.array(openEnum(readKinds)).nullable().describe('What the run has read so far'),
  tool_call_id: z.string().nullable().describe('The id of the call, as in the events'),
  idempotency_key: z.string().nullable().describe('The idempotency key that the call has on the other side'),
  arguments_schema: jsonSchemaOrNull.describe(
    'The JSON Schema of the arguments, if it is known: what `call.arguments` of the signal must match',
  ),
  calls: z
    .array(askedCallSchema)
    .nullable()
    .describe(
      'All calls that the answer can decide about, the one above first: `calls` of the signal answers several. Null without a call',
    ),
  approval_schema: jsonSchemaOrNull.describe('What the `payload` of the answer must match. Null: anything'),
  approvers: z.array(z.string()).nullable().describe('The roles that may decide. Null: everyone who may send signals'),
  approvals: z.int().min(1).describe('How many different people must give the same answer'),
  not_requester: z.boolean().describe('Who created the run may not decide'),
  reauth: z.boolean().describe('Who decides must have signed in again within the last 5 minutes'),
  escalate_to: z.array(z.string()).nullable().describe('The roles that may decide from `escalates_at` on, too'),
}

const decider = {
  key_id: z.string().describe('The API key that sent the signal'),
  key_name: z.string().nullable().describe('Its name at that time'),
  person: z.string().nullable().describe('Whose key it was, or who was signed in. Null: the key stands for itself'),
  roles: z.array(z.string()).describe('The roles at that time'),
  via: openEnum(auditChannels).describe('How it reached the service. `link`: by a decision link'),
}

const decided = {
  call: answeredCallSchema.nullable().describe('What it decides about the call, with tagged values masked'),
  calls: z.array(decidedCallSchema).nullable().describe('Likewise, about several calls'),
}

export const decisionSchema = z
  .object({
    at: instant,
    action: z.enum(signalActions),
    ...decider,
    payload: z.unknown().describe('With tagged values masked'),
    ...decided,
  })
  .meta({ id: 'Decision' })
export type Decision = z.infer<typeof decisionSchema>

export const awaitingInputSchema = z
  .object({
    seq: z.int(),
    ...questionFields,
    escalates_at: instant.nullable().describe('Null: never'),
    decisions: z
      .array(decisionSchema)
      .describe('The latest answer of each person so far, while others have to decide, too. Oldest first'),
    since: instant,
    expires_at: instant,
  })
  .meta({ id: 'AwaitingInput' })
export type AwaitingInput = z.infer<typeof awaitingInputSchema>

export const runSignalSchema = z
  .object({
    seq: z.int().describe('The `seq` of its event; of an answer that was only counted, of the next event'),
    action: z.enum(signalActions),
    at: instant,
    ...decider,
    counted: z
      .boolean()
      .describe('True: others had to decide as well, so it was counted and has no event. False: it ended the wait'),
    asked: z.object(questionFields).describe('What the signal responds to'),
    payload: z.unknown().describe('With tagged values masked'),
    ...decided,
  })
  .meta({ id: 'RunSignal' })
export type RunSignal = z.infer<typeof runSignalSchema>
