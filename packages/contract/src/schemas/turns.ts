// The turns of a run: each call to a model, with what was sent and what came back.
import { z } from 'zod'
import { defaultListPageSize, maxPageSize } from '../vocabulary/limits.ts'
import { turnOutcomes, turnRoles } from '../vocabulary/vocabulary.ts'
import { eventReasonSchema } from './events.ts'
import { id, instant, jsonObject, openEnum, queryInteger, requestId } from './wire.ts'

const toolCallSchema = z.object({
  id: z.string().describe("The model's own id of the call"),
  name: z.string(),
  input: z.unknown(),
})

/** A call of a tool that the model has searched for. The conversation shows it as the model wrote it. */
const askedCallSchema = toolCallSchema.extend({
  via: z
    .literal('call_tool')
    .optional()
    .describe('The model called it with this tool; `name` is the tool that it named'),
})

const filesSchema = z.array(z.object({ ref: z.string(), media_type: z.string(), bytes: z.int() }))

export const turnMessageSchema = z
  .discriminatedUnion('from', [
    z.object({ from: z.literal('system'), text: z.string() }),
    z.object({ from: z.literal('user'), text: z.string(), files: filesSchema.optional() }),
    z.object({ from: z.literal('assistant'), text: z.string(), tool_calls: z.array(toolCallSchema) }),
    z.object({
      from: z.literal('tool'),
      call_id: z.string(),
      name: z.string(),
      result: z.unknown(),
      failed: z.boolean(),
    }),
  ])
  .meta({ id: 'TurnMessage' })
export type TurnMessage = z.infer<typeof turnMessageSchema>

const turnUsageSchema = z.object({
  total: z.number(),
  input: z.number().optional(),
  output: z.number().optional().describe('Includes reasoning'),
  cached: z.number().optional().describe("The part of `input` from the provider's cache"),
  reasoning: z.number().optional(),
  estimated: z.literal(true).optional().describe('The provider reported no usage'),
})

export const turnReplySchema = z.object({
  text: z.string(),
  tool_calls: z.array(askedCallSchema),
  output: z.unknown().optional().describe('Structured output that was not sent as text'),
  finish: openEnum(['complete', 'length']),
})
export type TurnReply = z.infer<typeof turnReplySchema>

export const turnSchema = z
  .object({
    seq: z.int().min(1).describe('1, 2, 3 … within the run, in the order in which the calls were recorded'),
    attempt: z.int().min(1).describe('The attempt of the run'),
    role: openEnum(turnRoles),
    task_id: id('task').describe('As in the events of the step'),
    step_id: z.string(),
    call: z.string().describe('Identifies the call within the run; a repeated call has the same value'),
    try: z.int().min(1).describe('How many times the call was made before, plus 1'),
    model: z.string(),
    prompt_version: z.string(),
    messages: z.array(turnMessageSchema).describe('The conversation as it was sent'),
    tools: z.array(z.string()).describe('The tools that the model was offered'),
    parameters: jsonObject,
    output_schema: z.boolean().describe('Whether the reply had to match a JSON Schema'),
    outcome: openEnum(turnOutcomes),
    reply: turnReplySchema.nullable().describe('What arrived; null if nothing did'),
    failure: z.object({ reason_code: eventReasonSchema, message: z.string() }).nullable(),
    usage: turnUsageSchema.nullable(),
    first_token_ms: z.number().nullable().describe('Null if the reply has no text'),
    duration_ms: z.number(),
    started_at: instant,
    truncated: z.boolean().describe('Whether a very long text was cut'),
  })
  .meta({ id: 'Turn' })
export type Turn = z.infer<typeof turnSchema>

export const turnsQuerySchema = z.strictObject({
  after: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: queryInteger(1, maxPageSize, defaultListPageSize).optional(),
})

export const turnPageSchema = z
  .object({ turns: z.array(turnSchema), next_after: z.int(), request_id: requestId })
  .meta({ id: 'TurnPage' })
export type TurnPage = z.infer<typeof turnPageSchema>
