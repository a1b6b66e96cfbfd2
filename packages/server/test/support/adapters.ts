// The adapters of the service to the four wire formats, each with a strict mock behind it.
import type { Message, Model, ModelReply, ModelRequest } from '../../src/models/port/model.ts'
import { openProviderModel } from '../../src/models/provider/open-model.ts'
import { type MockProvider, type ProviderFormat, startMockProvider } from './providers/mock-provider.ts'
import type { JsonObject, Script } from './providers/script.ts'
import type { ProviderOptions } from './providers/wire-format.ts'

interface AdapterSetup {
  readonly format: ProviderFormat
  readonly model: string
  /** How the environment variables of its server begin. */
  readonly variables: string
}

export const setups = {
  'openai-compatible': {
    format: 'openai-chat',
    model: 'openai-compatible/gpt-test',
    variables: 'OPENAI_COMPATIBLE',
  },
  'openai-chat': { format: 'openai-chat', model: 'openai-chat/gpt-4o', variables: 'OPENAI' },
  openai: { format: 'openai-responses', model: 'openai/gpt-5', variables: 'OPENAI' },
  anthropic: { format: 'anthropic', model: 'anthropic/claude-sonnet-4-5', variables: 'ANTHROPIC' },
  google: { format: 'gemini', model: 'google/gemini-3-pro', variables: 'GEMINI' },
} satisfies Record<string, AdapterSetup>

export type Adapter = keyof typeof setups
/** Each wire format, and chat completions through both packages that speak it. */
export const adapters = Object.keys(setups) as Adapter[]
/** For scenarios that cost more: chat completions only through the package for compatible servers. */
export const onePerFormat = adapters.filter((adapter) => adapter !== 'openai-chat')

export interface OpenAdapter {
  readonly provider: MockProvider
  readonly model: Model
  /** Asks the model, with one word of a user unless the request says otherwise. */
  ask(request?: Partial<ModelRequest>): ReturnType<Model['respond']>
  /** The same, where only a reply will do. */
  reply(request?: Partial<ModelRequest>): Promise<ModelReply>
}

interface AdapterOptions {
  /** Without the provider. */
  readonly model?: string
  readonly silenceMs?: number
  readonly onQuirk?: (quirk: string) => void
  readonly provider?: ProviderOptions
}

/** Opens a model without a service around it. The caller closes the provider. */
export async function openAdapter(
  adapter: Adapter,
  script: Script,
  { model: modelName, provider: options, ...more }: AdapterOptions = {},
): Promise<OpenAdapter> {
  const { format, model } = setups[adapter]
  const provider = await startMockProvider(format, script, options)
  const name = modelName ?? model.slice(model.indexOf('/') + 1)
  const server = { baseUrl: provider.baseUrl, apiKey: 'sk-test' }
  const opened = await openProviderModel({ name: `${adapter}/${name}`, format: adapter, model: name, server, ...more })
  const ask = (request: Partial<ModelRequest> = {}) => opened.respond({ ...smallestAsk, ...request })
  const reply = async (request: Partial<ModelRequest> = {}) => {
    const outcome = await ask(request)
    if (outcome.kind !== 'reply') throw new Error(`expected a reply, got ${JSON.stringify(outcome)}`)
    return outcome
  }
  return { provider, model: opened, ask, reply }
}

export const hello: Message[] = [
  { from: 'system', text: 'You help.' },
  { from: 'user', text: 'hello' },
]

/** One word of a user. */
export const smallestAsk: ModelRequest = {
  role: 'worker',
  messages: hello,
  tools: [],
  outputSchema: undefined,
  maxOutputTokens: undefined,
  signal: new AbortController().signal,
  onText: () => undefined,
  rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
}

/** The reply as later turns repeat it: its echo was journaled in between. */
export const repeated = ({ text, toolCalls, echo }: ModelReply): Message => ({
  from: 'assistant',
  text,
  toolCalls,
  ...(echo !== undefined && { echo: JSON.parse(JSON.stringify(echo)) }),
})

/** A result for each call of the reply. */
export const results = ({ toolCalls }: ModelReply): Message[] =>
  toolCalls.map(({ id, name }) => ({ from: 'tool', callId: id, name, result: { found: id }, failed: false }))

/** What a provider's cache sees, in its order: tools, system prompt, messages. Cache marks are no part of it. */
export function promptOf(body: JsonObject): string {
  const { tools: offered, system, systemInstruction, messages, input, contents } = body
  const whole = [offered, system ?? systemInstruction, ...((messages ?? input ?? contents) as unknown[])]
  return whole
    .map((part) => JSON.stringify(part, (key, value) => (key === 'cache_control' ? undefined : value)))
    .join('\n')
}
