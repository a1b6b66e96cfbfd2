// The parameters of `POST /v1/chat/completions`, from OpenAI's API reference. Unknown ones are refused at every level.
import { z } from 'zod'

export const toolName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/)

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() })

const userPart = z.discriminatedUnion('type', [
  textPart,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string().min(1), format: z.enum(['wav', 'mp3']) }),
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z.strictObject({
      filename: z.string().optional(),
      file_data: z.string().optional(),
      file_id: z.string().optional(),
    }),
  }),
])

const text = z.union([z.string(), z.array(textPart)])

const toolCall = z.strictObject({
  // A client may only send back ids of at most 40 characters.
  id: z.string().min(1).max(40),
  type: z.literal('function'),
  function: z.strictObject({ name: toolName, arguments: z.string() }),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: text, name: z.string().optional() }),
  z.strictObject({ role: z.literal('developer'), content: text, name: z.string().optional() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(userPart)]),
    name: z.string().optional(),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(textPart)]).nullish(),
    refusal: z.string().nullish(),
    name: z.string().optional(),
    tool_calls: z.array(toolCall).min(1).optional(),
    // Not OpenAI's, but of the servers that send it; the conversation check takes it only where it was issued.
    reasoning_content: z.string().nullish(),
  }),
  z.strictObject({ role: z.literal('tool'), content: text, tool_call_id: z.string().min(1) }),
])

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: toolName,
    description: z.string().max(1_024).optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
})

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: toolName,
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().nullish(),
    }),
  }),
])

export const chatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(4)]).nullish(),
  seed: z.int().nullish(),
  n: z.int().min(1).max(128).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().optional(),
  safety_identifier: z.string().max(64).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  prediction: z.strictObject({ type: z.literal('content'), content: text }).nullish(),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
})

export type ChatRequest = z.infer<typeof chatRequest>
export type ChatMessage = ChatRequest['messages'][number]
