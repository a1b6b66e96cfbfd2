// What a call needs in each wire format beyond what the SDK package does by itself. Options that the call has already
// win over these.
import type { LanguageModel, ProviderCall } from '../sdk/language-model.ts'
import { isClosed, isStrict, withJsonTexts, withoutMarks } from './schema-forms.ts'

type Options = NonNullable<ProviderCall['providerOptions']>[string]
type Schema = NonNullable<Extract<ProviderCall['responseFormat'], { type: 'json' }>['schema']>
type AssistantPart = Extract<ProviderCall['prompt'][number], { role: 'assistant' }>['content'][number]

interface Fit {
  /** Where the package looks for its options, and writes its metadata. */
  readonly key: string
  /** Another name under which it writes metadata. */
  readonly alias?: string
  readonly options?: (call: ProviderCall) => Options
  readonly change?: (call: ProviderCall, model: string) => ProviderCall
}

const schemaOf = ({ responseFormat }: ProviderCall) =>
  responseFormat?.type === 'json' ? responseFormat.schema : undefined

// OpenAI refuses a strict schema with an optional property or an open object. The reply is validated anyway.
const strictIfPossible = (call: ProviderCall): Options => ({ strictJsonSchema: isStrict(schemaOf(call)) })

/** By the name that the package gives its language model. */
const fits: Readonly<Record<string, Fit>> = {
  'openai.responses': {
    key: 'openai',
    // Reasoning then comes back encrypted, and no later turn depends on what OpenAI stores.
    options: (call) => ({ store: false, ...strictIfPossible(call) }),
    change: fitResponses,
  },
  'openai.chat': { key: 'openai', options: strictIfPossible },
  'anthropic.messages': {
    key: 'anthropic',
    // The other mode forces a tool call, which goes neither with other tools nor with thinking.
    options: () => ({ structuredOutputMode: 'outputFormat' }),
    change: fitAnthropic,
  },
  'google.generative-ai': { key: 'google', change: fitGemini },
}

const otherServer: Fit = {
  key: 'openaiCompatible',
  alias: 'openai-compatible',
  // The strict mode of some servers refuses every schema with an optional property.
  options: () => ({ strictJsonSchema: false }),
  change: returnSignatures,
}

export function fitCall(call: ProviderCall, { provider, modelId }: LanguageModel): ProviderCall {
  const {
    key,
    alias = key,
    options = () => ({}),
    change = (same: ProviderCall) => same,
  } = fits[provider] ?? otherServer
  const given = call.providerOptions
  const fitted = { ...call, providerOptions: { ...given, [key]: { ...options(call), ...given?.[key] } } }
  const changed = change({ ...fitted, prompt: withOwnEchoes(call.prompt, [key, alias]) }, modelId)
  const schema = schemaOf(changed)
  return schema ? { ...changed, responseFormat: { type: 'json', schema: withoutMarks(schema) as Schema } } : changed
}

/** Whether the server makes sure that the reply matches the schema. */
export function enforcesSchema(call: ProviderCall, { provider }: LanguageModel): boolean {
  if (schemaOf(call) === undefined || !Object.hasOwn(fits, provider)) return false
  return fits[provider]?.key !== 'openai' || isStrict(schemaOf(call))
}

export function withoutResponseFormat({ responseFormat: _, ...call }: ProviderCall): ProviderCall {
  return call
}

/**
 * After a fallback the conversation has reasoning and signatures of another provider, which this one would refuse or
 * misread.
 */
const withOwnEchoes = (prompt: ProviderCall['prompt'], keys: readonly string[]): ProviderCall['prompt'] =>
  prompt.map((message) => {
    if (message.role !== 'assistant') return message
    const content = message.content.flatMap((part) => ownPart(part, keys))
    return { ...message, content: content.length > 0 ? content : [{ type: 'text', text: '(no text)' }] }
  })

function ownPart(part: AssistantPart, keys: readonly string[]): AssistantPart[] {
  const { providerOptions, ...plain } = part
  if (providerOptions === undefined) return [part]
  const own = Object.entries(providerOptions).filter(([name]) => keys.includes(name))
  if (own.length === 0) return part.type === 'reasoning' ? [] : [plain as AssistantPart]
  return [{ ...part, providerOptions: Object.fromEntries(own) }]
}

const smallestOutputLimit = 16

function fitResponses({ maxOutputTokens, tools, ...call }: ProviderCall): ProviderCall {
  return {
    ...call,
    // Functions are strict unless the request says otherwise, and few schemas qualify.
    ...(tools && { tools: tools.map((tool) => (tool.type === 'function' ? { ...tool, strict: false } : tool)) }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens: Math.max(maxOutputTokens, smallestOutputLimit) }),
  }
}

function fitAnthropic(call: ProviderCall): ProviderCall {
  const closed = closedFormat(call)
  return cacheMarks(lacksThinking(call) ? withoutThinking(closed) : closed)
}

/** An open object becomes JSON in a text, if the reader takes that. */
function closedFormat(call: ProviderCall): ProviderCall {
  const schema = schemaOf(call)
  if (isClosed(schema)) return call
  const closed = withJsonTexts(schema)
  return isClosed(closed)
    ? { ...call, responseFormat: { type: 'json', schema: closed as Schema } }
    : withoutResponseFormat(call)
}

/** Whether another provider began the current turn: its calls came without a thinking block of Anthropic. */
function lacksThinking({ prompt }: ProviderCall): boolean {
  const lastWords = prompt.findLastIndex(({ role }) => role === 'user')
  return prompt
    .slice(lastWords + 1)
    .some(({ role, content }) => role === 'assistant' && content[0]?.type !== 'reasoning' && content.some(isCall))
}

const isCall = ({ type }: AssistantPart): boolean => type === 'tool-call'

/** With a budget for thinking, Anthropic refuses a turn whose calls came without it. */
function withoutThinking({ providerOptions, ...call }: ProviderCall): ProviderCall {
  const { thinking, ...others } = providerOptions?.anthropic ?? {}
  const hasBudget = (thinking as { readonly type?: unknown } | undefined)?.type === 'enabled'
  return { ...call, providerOptions: hasBudget ? { ...providerOptions, anthropic: others } : { ...providerOptions } }
}

/** Models before Gemini 3 refuse tools together with structured output. The prompt has the schema in words too. */
function fitGemini(call: ProviderCall, model: string): ProviderCall {
  return call.tools && /gemini-[12][.-]/.test(model) ? withoutResponseFormat(call) : call
}

/** The package reads the thought signatures of Gemini behind a gateway under another name than it writes them. */
function returnSignatures(call: ProviderCall): ProviderCall {
  const prompt = call.prompt.map((message) => {
    if (message.role !== 'assistant') return message
    return { ...message, content: message.content.map((part) => ({ ...part, ...signatureOf(part.providerOptions) })) }
  })
  return { ...call, prompt }
}

function signatureOf(options: ProviderCall['providerOptions'] = {}) {
  const { thoughtSignature } = Object.values(options).find((own) => own.thoughtSignature !== undefined) ?? {}
  return thoughtSignature === undefined ? {} : { providerOptions: { ...options, google: { thoughtSignature } } }
}

// Anthropic's prompt cache stores a prompt only up to marked places. The order of a prompt is tools, system, messages,
// so each mark stores all that comes before it.
const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/**
 * Marks the last tool, the system prompt, and the last two messages that are not the model's own: the next turn repeats
 * them and reads them from the cache. The second to last is where this turn reads, even if many parts came since.
 */
function cacheMarks(call: ProviderCall): ProviderCall {
  const { tools, prompt } = call
  const incoming = [...prompt.keys()].filter((at) => prompt[at]?.role === 'user' || prompt[at]?.role === 'tool')
  const marked = new Set(incoming.slice(-2))
  return {
    ...call,
    prompt: prompt.map((message, at) =>
      message.role === 'system' || marked.has(at) ? { ...message, providerOptions: mark } : message,
    ),
    ...(tools && {
      tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, providerOptions: mark } : tool)),
    }),
  }
}
