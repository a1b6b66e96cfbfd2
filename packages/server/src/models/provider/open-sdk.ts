// The SDK packages of the providers. Each one is imported when a model needs it, so that a service that uses only the
// sandbox loads none of them.
import { answerAsStream } from './answer-as-stream.ts'
import { withJsonSchemas } from './gemini-schemas.ts'
import type { LanguageModel, WireFormat } from './language-model.ts'
import { limitAnswers } from './limit-answers.ts'
import { type Quirks, withoutRefused } from './quirks.ts'
import { refusalExtractor } from './refusal-metadata.ts'
import type { ProviderServer } from './server.ts'

interface SdkOptions {
  readonly server: ProviderServer
  readonly model: string
  readonly quirks: Quirks
}

// Eight times the largest reply: room for a reply that is a single line full of escapes.
const largestLineBytes = 8 * 1024 * 1024

const limited = limitAnswers(globalThis.fetch, largestLineBytes)

type OpenSdk = (options: SdkOptions) => Promise<LanguageModel>

export const openSdk: Readonly<Record<WireFormat, OpenSdk>> = {
  openai: async ({ server, model }) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ ...connectionOf(server), fetch: limited }).responses(model)
  },
  'openai-chat': async ({ server, model }) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ ...connectionOf(server), fetch: limited }).chat(model)
  },
  anthropic: async ({ server, model }) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ ...connectionOf(server), fetch: limited })(model)
  },
  google: async ({ server, model }) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return withJsonSchemas((fetch) => createGoogleGenerativeAI({ ...connectionOf(server), fetch })(model), limited)
  },
  'openai-compatible': async ({ server, model, quirks }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      ...connectionOf(server),
      name: 'openai-compatible',
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch: answerAsStream(limited),
      transformRequestBody: (body) => withoutRefused(body, quirks.refusedParameters),
      metadataExtractor: { extractMetadata: async () => undefined, createStreamExtractor: refusalExtractor },
    })
    return provider.chatModel(model)
  },
}

const connectionOf = ({ baseUrl, apiKey, headers }: ProviderServer) => ({
  baseURL: baseUrl,
  ...(apiKey !== undefined && { apiKey }),
  ...(headers && { headers }),
})
