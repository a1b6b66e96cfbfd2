// Embeddings from any server with OpenAI's `/embeddings` API.
import { limitedFetch } from '../../runtime/messages/limited-fetch.ts'
import { RedirectRefused, withinOrigin } from '../../runtime/within-origin.ts'
import { type Embedder, normalize } from './embedder.ts'

export interface EmbeddingServer {
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

interface ProviderEmbedderOptions {
  /** `openai-compatible/<model>` */
  readonly name: string
  readonly model: string
  readonly server: EmbeddingServer
}

/** Eight vectors of 4,096 dimensions, and more. */
const largestAnswer = { maxBytes: 4 * 1024 * 1024, maxParts: 50_000 }

/** Imports the SDK here rather than at the top, so that a service that does not use it starts faster. */
export async function providerEmbedder({ name, model, server }: ProviderEmbedderOptions): Promise<Embedder> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: server.baseUrl,
    fetch: withinOrigin(limitedFetch({ limits: largestAnswer }), 'the embedding server'),
    ...(server.apiKey !== undefined && { apiKey: server.apiKey }),
  })
  const embeddingModel = provider.embeddingModel(model)
  return new ProviderEmbedder(name, async (values, abortSignal) => {
    try {
      return (await embeddingModel.doEmbed({ values, ...(abortSignal && { abortSignal }) })).embeddings
    } catch (error) {
      throw new Error(describeFailure(error))
    }
  })
}

/** Does not use the SDK's message: it contains the texts, and this error may be logged. */
function describeFailure(error: unknown): string {
  if (error instanceof RedirectRefused) return error.message
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number'
    ? `the embedding server responded with status ${status}`
    : 'the embedding server did not respond'
}

type RequestEmbeddings = (texts: string[], signal: AbortSignal | undefined) => Promise<readonly (readonly number[])[]>

class ProviderEmbedder implements Embedder {
  readonly model: string
  readonly #request: RequestEmbeddings
  #dimensions: number | undefined

  constructor(model: string, request: RequestEmbeddings) {
    this.model = model
    this.#request = request
  }

  get dimensions(): number | undefined {
    return this.#dimensions
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return []
    const embeddings = await this.#request([...texts], signal)
    if (embeddings.length !== texts.length) {
      throw new Error(`the embedding server returned ${embeddings.length} embeddings for ${texts.length} texts`)
    }
    return embeddings.map((numbers) => this.#check(normalize(numbers)))
  }

  async close(): Promise<void> {}

  /** The server may have switched to another model of the same name, whose vectors must not be stored as comparable. */
  #check(vector: Float32Array): Float32Array {
    this.#dimensions ??= vector.length
    if (vector.length === this.#dimensions) return vector
    throw new Error(`the embedding server returned ${vector.length} dimensions instead of ${this.#dimensions}`)
  }
}
