// Any server that speaks OpenAI's chat completions.
import type { Model } from '../port/model.ts'
import { answerAsStream } from './answer-as-stream.ts'
import { limitAnswers } from './limit-answers.ts'
import { type Quirk, Quirks, withoutRefused } from './quirks.ts'
import { SdkModel } from './sdk-model.ts'
import type { ProviderServer } from './server.ts'

interface OpenAiCompatibleOptions {
  /** `openai-compatible/<model>` */
  readonly name: string
  readonly model: string
  readonly server: ProviderServer
  readonly contextTokens?: number | undefined
  readonly silenceMs?: number
  readonly onQuirk?: (quirk: Quirk) => void
}

// Eight times the largest reply: room for one that comes as a single line and is full of escapes.
const largestLineBytes = 8 * 1024 * 1024
const defaultSilenceMs = 60_000

/** The SDK is loaded here and not at the top: a service with the sandbox alone should not pay for it at every start. */
export async function openAiCompatibleModel(options: OpenAiCompatibleOptions): Promise<Model> {
  const { name, model, server, contextTokens, silenceMs = defaultSilenceMs, onQuirk } = options
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const quirks = new Quirks(onQuirk)
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: server.baseUrl,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: answerAsStream(limitAnswers(globalThis.fetch, largestLineBytes)),
    transformRequestBody: (body) => withoutRefused(body, quirks.refusedParameters),
    ...(server.apiKey !== undefined && { apiKey: server.apiKey }),
  })
  const { apiKey } = server
  return new SdkModel({ name, languageModel: provider.chatModel(model), apiKey, quirks, silenceMs, contextTokens })
}
