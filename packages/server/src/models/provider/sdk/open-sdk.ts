// The SDK packages of the providers. Each one is imported when a model needs it, so that a service that uses only the
// sandbox loads none of them.
import { maxModelParts } from '../../../domain/json/model-json.ts'
import { limitedFetch } from '../../../runtime/messages/limited-fetch.ts'
import { withinOrigin } from '../../../runtime/within-origin.ts'
import type { ProviderServer } from '../../config/server.ts'
import { answerAsStream } from './answer-as-stream.ts'
import { withJsonSchemas } from './gemini-schemas.ts'
import type { LanguageModel, WireFormat } from './language-model.ts'
import type { Quirks } from './quirks.ts'
import { withoutRefused } from './refused-parameter.ts'
import { repairEvents } from './repair-events.ts'
import { extractMetadata } from './reply-metadata.ts'

interface SdkOptions {
  /** The name of the provider in the settings. */
  readonly provider: string
  readonly server: ProviderServer
  readonly model: string
  readonly quirks: Quirks
  /** Fields that are added to the body of every request. */
  readonly added: Readonly<Record<string, unknown>>
}

/**
 * Eight times the largest reply: room for a reply that is a single event full of escapes. The last event of a stream
 * may have all tool calls of the reply.
 */
const largestEvent = { maxBytes: 8 * 1024 * 1024, maxParts: maxModelParts }

type OpenSdk = (options: SdkOptions) => Promise<LanguageModel>

export const openSdk: Readonly<Record<WireFormat, OpenSdk>> = {
  openai: async ({ model, ...options }) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI(connectionOf(options)).responses(model)
  },
  'openai-chat': async ({ model, ...options }) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI(connectionOf(options)).chat(model)
  },
  anthropic: async ({ model, ...options }) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(connectionOf(options))(model)
  },
  google: async ({ model, ...options }) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const { fetch: send, ...connection } = connectionOf(options)
    return withJsonSchemas((fetch) => createGoogleGenerativeAI({ ...connection, fetch })(model), send)
  },
  'openai-compatible': async ({ model, ...options }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      ...connectionOf(options, answerAsStream),
      name: 'openai-compatible',
      includeUsage: true,
      supportsStructuredOutputs: true,
      metadataExtractor: { extractMetadata: async () => undefined, createStreamExtractor: extractMetadata },
    })
    return provider.chatModel(model)
  },
}

const connectionOf = (
  { provider, server, quirks, added }: Omit<SdkOptions, 'model'>,
  change = (fetch: typeof globalThis.fetch) => fetch,
) => ({
  baseURL: server.baseUrl,
  // Without one, most packages take the key of the environment, which is for another server. `sendKeyIn` removes it.
  apiKey: server.apiKey ?? 'none',
  ...(server.headers && { headers: server.headers }),
  fetch: change(editRequests(sendKeyIn(fetchFrom(provider), server), { quirks, added: { ...added } })),
})

const fetchFrom = (provider: string) =>
  withinOrigin(limitedFetch({ limits: largestEvent, changeEvents: repairEvents }), `The provider ${provider}`)

type Body = Record<string, unknown>

/**
 * A fetch that changes the JSON body of requests: it leaves out what the server refused before, and adds what the SDK
 * package has no option for. The same for every wire format.
 */
function editRequests(
  fetch: typeof globalThis.fetch,
  { quirks, added }: { readonly quirks: Quirks; readonly added: Body },
): typeof globalThis.fetch {
  const addsNothing = Object.keys(added).length === 0
  return (url, init) => {
    const refused = quirks.refusedParameters
    if ((addsNothing && refused.length === 0) || typeof init?.body !== 'string') return fetch(url, init)
    const body = withoutRefused({ ...(JSON.parse(init.body) as Body), ...added }, refused)
    return fetch(url, { ...init, body: JSON.stringify(body) })
  }
}

const headersOfFormats = ['authorization', 'x-api-key', 'x-goog-api-key']

/**
 * A fetch that sends the key in the header that the configuration names, or sends none. The SDK packages always send a
 * key in their own header.
 */
function sendKeyIn(fetch: typeof globalThis.fetch, server: ProviderServer): typeof globalThis.fetch {
  const own = ownHeaders(server)
  if (server.apiKey !== undefined && own.size === 0) return fetch
  return (url, init) => {
    const headers = new Headers(init?.headers)
    for (const name of headersOfFormats) headers.delete(name)
    for (const [name, value] of own) headers.set(name, value)
    return fetch(url, { ...init, headers })
  }
}

/** The headers that take the place of the SDK's own. */
function ownHeaders({ apiKey, keyHeader, headers = {} }: ProviderServer): Map<string, string> {
  const configured = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const own = new Map(configured.filter(([name]) => headersOfFormats.includes(name)))
  if (apiKey !== undefined && keyHeader !== undefined) own.set(keyHeader, valueFor(keyHeader, apiKey))
  return own
}

const valueFor = (header: string, apiKey: string): string => (header === 'authorization' ? `Bearer ${apiKey}` : apiKey)
