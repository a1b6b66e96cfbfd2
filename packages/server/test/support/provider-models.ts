// Models of every wire format on its strict mock, and one request to ask them.
import { modelBook } from '../../src/models/choose-models.ts'
import type { ProviderConfig } from '../../src/models/config/provider-config.ts'
import { readProviders } from '../../src/models/config/read-providers.ts'
import type { WireFormat } from '../../src/models/config/wire-format.ts'
import type { Model, ModelOutcome, ModelRequest } from '../../src/models/port/model.ts'
import { type MockProvider, type ProviderFormat, startMockProvider } from './providers/mock-provider.ts'
import type { Script } from './providers/script.ts'
import type { ProviderOptions } from './providers/wire-format.ts'

export const mocks: Readonly<Record<WireFormat, ProviderFormat>> = {
  openai: 'openai-responses',
  'openai-chat': 'openai-chat',
  anthropic: 'anthropic',
  google: 'gemini',
  'openai-compatible': 'openai-chat',
}

/** A model that reasons, of each format. */
export const reasoningModels: Readonly<Record<WireFormat, string>> = {
  openai: 'gpt-5',
  'openai-chat': 'gpt-5',
  anthropic: 'claude-opus-4-6',
  google: 'gemini-3-pro',
  'openai-compatible': 'gpt-5',
}

export interface OpenedModel {
  readonly model: Model
  readonly mock: MockProvider
  readonly quirks: string[]
}

interface Opening {
  readonly format: WireFormat
  readonly model?: string
  readonly script: Script
  readonly config?: Partial<ProviderConfig>
  readonly mockOptions?: ProviderOptions
  readonly silenceMs?: number
}

export const testKey = 'sk-test-1234567890'

/** The provider is called `here`, unless the config has another name. */
export async function openOnMock(opening: Opening): Promise<OpenedModel> {
  const { format, script, config, mockOptions, silenceMs, model: name = reasoningModels[format] } = opening
  const mock = await startMockProvider(mocks[format], script, { apiKey: testKey, ...mockOptions })
  const here: ProviderConfig = {
    name: 'here',
    format,
    baseUrl: mock.baseUrl,
    keyEnv: 'TEST_KEY',
    headers: {},
    defaults: {},
    models: {},
    ...config,
  }
  const quirks: string[] = []
  const book = modelBook(
    { TEST_KEY: testKey, TEST_HEADER: 'header-secret-1' },
    {
      providers: new Map([...readProviders(undefined), [here.name, here]]),
      onQuirk: (_, quirk) => void quirks.push(quirk),
      ...(silenceMs !== undefined && { silenceMs }),
    },
  )
  const [model] = await book.open(`${here.name}/${name}`)
  if (!model) throw new Error('no model')
  return { model, mock, quirks }
}

export const ask = (model: Model, asked: Partial<ModelRequest> = {}): Promise<ModelOutcome> =>
  model.respond({
    role: 'worker',
    messages: [
      { from: 'system', text: 'Be short.' },
      { from: 'user', text: 'hello' },
    ],
    tools: [],
    outputSchema: undefined,
    maxOutputTokens: undefined,
    signal: new AbortController().signal,
    onText: () => undefined,
    rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
    ...asked,
  })
