// The parameters of `POST /v1/responses`, from OpenAI's API reference. Tools that OpenAI runs itself are left out.
import { z } from 'zod'

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/)

const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
  z.strictObject({
    type: z.literal('input_file'),
    filename: z.string().optional(),
    file_data: z.string().optional(),
    file_id: z.string().nullish(),
    file_url: z.string().optional(),
  }),
])

const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.unknown()).optional(),
    logprobs: z.array(z.unknown()).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
])

const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish()
const messageType = z.literal('message').optional()

const message = z.discriminatedUnion('role', [
  z.strictObject({
    type: messageType,
    role: z.enum(['user', 'system', 'developer']),
    content: z.union([z.string(), z.array(inputPart).min(1)]),
    status,
  }),
  z.strictObject({
    type: messageType,
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(outputPart).min(1)]),
    id: z.string().optional(),
    status,
    phase: z.enum(['commentary', 'final_answer']).nullish(),
  }),
])

const callId = z.string().min(1).max(64)

const functionCall = z.strictObject({
  type: z.literal('function_call'),
  id: z.string().optional(),
  call_id: callId,
  name,
  arguments: z.string(),
  status,
})

const functionCallOutput = z.strictObject({
  type: z.literal('function_call_output'),
  id: z.string().optional(),
  call_id: callId,
  output: z.union([z.string(), z.array(inputPart).min(1)]),
  status,
})

const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id: z.string().optional(),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(z.unknown()).nullish(),
  encrypted_content: z.string().nullish(),
  status,
})

const reference = z.strictObject({ type: z.literal('item_reference'), id: z.string().min(1) })

const typedItem = z.discriminatedUnion('type', [functionCall, functionCallOutput, reasoning, reference])

const tool = z.strictObject({
  type: z.literal('function'),
  name,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullish(),
})

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name,
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
])

const included = z.enum([
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'message.input_image.image_url',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
])

export const responsesRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.union([message, typedItem])).min(1)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.string().nullish(),
  store: z.boolean().nullish(),
  include: z.array(included).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(tool).optional(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.strictObject({ type: z.literal('function'), name: z.string() })])
    .optional(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .strictObject({ format: format.optional(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    })
    .nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().optional(),
  safety_identifier: z.string().max(64).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  background: z.literal(false).nullish(),
})

export type ResponsesRequest = z.infer<typeof responsesRequest>
export type AnyItem = Exclude<ResponsesRequest['input'], string>[number]
/** References are replaced by what they refer to. */
export type Item = Exclude<AnyItem, { type: 'item_reference' }>
export type ItemOf<T extends string> = Extract<Item, { type: T }>

export const isMessage = (item: Item): item is Extract<Item, { role: string }> => 'role' in item
export const isCall = (item: Item): item is ItemOf<'function_call'> => item.type === 'function_call'
export const isOutput = (item: Item): item is ItemOf<'function_call_output'> => item.type === 'function_call_output'
export const isReasoning = (item: Item): item is ItemOf<'reasoning'> => item.type === 'reasoning'
