// The parameters of `POST /v1/messages`, from Anthropic's API reference. Tools that Anthropic runs itself are left out.
import { z } from 'zod'

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish()

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControl,
  citations: z.array(z.unknown()).nullish(),
})

const source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string().min(1) }),
  z.strictObject({ type: z.literal('url'), url: z.string().min(1) }),
  z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  z.strictObject({ type: z.literal('file'), file_id: z.string().min(1) }),
])

const imageBlock = z.strictObject({ type: z.literal('image'), source, cache_control: cacheControl })

const documentBlock = z.strictObject({
  type: z.literal('document'),
  source,
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean() }).nullish(),
  cache_control: cacheControl,
})

const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
})

const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
  caller: z.strictObject({ type: z.literal('direct') }).optional(),
})

const thinkingBlock = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() })
const redactedBlock = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() })

const userBlock = z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, toolResultBlock])
const assistantBlock = z.discriminatedUnion('type', [textBlock, toolUseBlock, thinkingBlock, redactedBlock])

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userBlock)]) }),
  z.strictObject({ role: z.literal('assistant'), content: z.union([z.string(), z.array(assistantBlock)]) }),
])

const tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  cache_control: cacheControl,
  eager_input_streaming: z.boolean().nullish(),
  input_examples: z.array(z.record(z.string(), z.unknown())).optional(),
})

const parallel = { disable_parallel_tool_use: z.boolean().optional() }

export const messagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('auto'), ...parallel }),
      z.strictObject({ type: z.literal('any'), ...parallel }),
      z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('enabled'),
        budget_tokens: z.int().min(1_024),
        display: z.enum(['summarized', 'omitted']).nullish(),
      }),
      z.strictObject({ type: z.literal('adaptive'), display: z.enum(['summarized', 'omitted']).nullish() }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z.strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).nullish(),
    })
    .optional(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  cache_control: cacheControl,
})

export type MessagesRequest = z.infer<typeof messagesRequest>
export type AnthropicMessage = MessagesRequest['messages'][number]
export type Block = Exclude<AnthropicMessage['content'], string>[number]
export type BlockOf<T extends Block['type']> = Extract<Block, { type: T }>

export const blocksOf = ({ content }: AnthropicMessage): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** Newer models think unless it is turned off, and some always do. */
const thinksByItself = /claude-(sonnet|opus)-5-5/

export const thinks = ({ thinking, model }: MessagesRequest): boolean =>
  thinking?.type === 'enabled' || thinking?.type === 'adaptive' || thinksByItself.test(model)
