// The calls beside chat completions: the list of models, and embeddings.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { checkOpenAiModel, openAiShapeRefusal } from '../openai-errors.ts'
import { shapeProblem } from '../shape.ts'
import type { IncomingCall, PlainAnswer, ProviderOptions } from '../wire-format.ts'

export function answerAside(call: IncomingCall, body: unknown, options: ProviderOptions): PlainAnswer | undefined {
  const line = `${call.method} ${call.url.pathname}`
  if (line === 'GET /v1/models') return { status: 200, body: modelList(options) }
  if (line === 'POST /v1/embeddings') return { status: 200, body: embeddings(body, options) }
  return undefined
}

const modelList = ({ models = ['mock-model'] }: ProviderOptions) => ({
  object: 'list',
  data: models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'mock' })),
})

const embeddingRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2_048)]),
  dimensions: z.int().min(1).optional(),
  encoding_format: z.enum(['float', 'base64']).optional(),
  user: z.string().optional(),
})

function embeddings(body: unknown, options: ProviderOptions) {
  const problem = shapeProblem(embeddingRequest, body)
  if (problem !== undefined) throw openAiShapeRefusal(problem)
  const { model, input, dimensions = 8, encoding_format } = body as z.infer<typeof embeddingRequest>
  checkOpenAiModel(model, options)
  const texts = typeof input === 'string' ? [input] : input
  const data = texts.map((text, index) => {
    const vector = embed(text, dimensions)
    const embedding = encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    return { object: 'embedding', index, embedding }
  })
  const tokens = Math.ceil(texts.join('').length / 4)
  return { object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}

/** Of length 1, and the same for the same text. */
function embed(text: string, dimensions: number): Float32Array {
  const bytes = createHash('shake256', { outputLength: dimensions }).update(text).digest()
  const values = [...bytes].map((byte) => byte - 127.5)
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / length)
}
