// Embeddings of any server that speaks OpenAI's `/embeddings`.
import { type Embedder, normalize } from './embedder.ts'

export interface EmbeddingServer {
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

export interface ProviderEmbedderOptions {
  /** `openai-compatible/<model>` */
  readonly name: string
  readonly model: string
  readonly server: EmbeddingServer
}

/** The SDK is loaded here and not at the top: a service without it should not pay for it at every start. */
export async function providerEmbedder({ name, model, server }: ProviderEmbedderOptions): Promise<Embedder> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: server.baseUrl,
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

/** In our own words: the SDK's errors carry the texts that were asked about, and this one may be logged. */
function describeFailure(error: unknown): string {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? `the embedding server answered ${status}` : 'the embedding server gave no answer'
}

type Ask = (texts: string[], signal: AbortSignal | undefined) => Promise<readonly (readonly number[])[]>

class ProviderEmbedder implements Embedder {
  readonly model: string
  readonly #ask: Ask
  #dimensions: number | undefined

  constructor(model: string, ask: Ask) {
    this.model = model
    this.#ask = ask
  }

  get dimensions(): number | undefined {
    return this.#dimensions
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return []
    const answers = await this.#ask([...texts], signal)
    if (answers.length !== texts.length) throw new Error(`${texts.length} texts gave ${answers.length} embeddings`)
    return answers.map((numbers) => this.#check(normalize(numbers)))
  }

  async close(): Promise<void> {}

  /** A server may be given another model under the same name: what can't be compared must not be stored as if it could. */
  #check(vector: Float32Array): Float32Array {
    this.#dimensions ??= vector.length
    if (vector.length === this.#dimensions) return vector
    throw new Error(`an embedding has ${vector.length} numbers instead of ${this.#dimensions}`)
  }
}
