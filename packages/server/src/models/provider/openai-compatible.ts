// Models on any server that implements OpenAI's chat completions API.
import type { Model } from '../port/model.ts'
import { answerAsStream } from './answer-as-stream.ts'
import { limitAnswers } from './limit-answers.ts'
import { type Quirk, Quirks, withoutRefused } from './quirks.ts'
import { refusalExtractor } from './refusal-metadata.ts'
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

// Eight times the largest reply: room for a reply that is a single line full of escapes.
const largestLineBytes = 8 * 1024 * 1024
const defaultSilenceMs = 60_000

/** The SDK is imported here and not at the top, so that a service that uses only the sandbox does not load it. */
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
    metadataExtractor: { extractMetadata: async () => undefined, createStreamExtractor: refusalExtractor },
    ...(server.apiKey !== undefined && { apiKey: server.apiKey }),
  })
  const { apiKey } = server
  return new SdkModel({ name, languageModel: provider.chatModel(model), apiKey, quirks, silenceMs, contextTokens })
}
