// Any server that speaks OpenAI's chat completions. It stands on the SDK's provider and not on its `streamText`: that one reads
// ahead without end (60 MB taken from a server while a slow listener had heard 0.6 MB), so a slow log could not slow it down.
// Nothing is retried here: the engine does that, and counts it.

import type { Model, ModelOutcome, ModelRequest } from '../port/model.ts'
import { type ChatModel, type ProviderCall, toProviderCall, withoutResponseFormat } from './call.ts'
import { describeFailure, type ProviderFailure, statusOf } from './failure.ts'
import { IncomingReply, type ReplyPart } from './incoming-reply.ts'
import { limitAnswers } from './limit-answers.ts'
import { readOutput } from './model-json.ts'
import type { ProviderServer } from './server.ts'

export interface OpenAiCompatibleOptions {
  /** `openai-compatible/<model>` */
  readonly name: string
  readonly model: string
  readonly server: ProviderServer
}

// Eight times the largest reply: room for one that comes as a single line and is full of escapes.
const largestLineBytes = 8 * 1024 * 1024

/** The SDK is loaded here and not at the top: a service with the sandbox alone should not pay for it at every start. */
export async function openAiCompatibleModel({ name, model, server }: OpenAiCompatibleOptions): Promise<Model> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: server.baseUrl,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: limitAnswers(globalThis.fetch, largestLineBytes),
    ...(server.apiKey !== undefined && { apiKey: server.apiKey }),
  })
  return new OpenAiCompatibleModel(name, provider.chatModel(model), server.apiKey)
}

class OpenAiCompatibleModel implements Model {
  readonly name: string
  private readonly chatModel: ChatModel
  private readonly apiKey: string | undefined
  private takesResponseFormat = true

  constructor(name: string, chatModel: ChatModel, apiKey: string | undefined) {
    this.name = name
    this.chatModel = chatModel
    this.apiKey = apiKey
  }

  async respond(request: ModelRequest): Promise<ModelOutcome> {
    const { signal } = request
    if (signal.aborted) return { kind: 'aborted', text: '', tokens: undefined }
    const reply = new IncomingReply(request)
    let failure: ProviderFailure | undefined
    for await (const part of partsOf(() => this.open(request))) {
      failure = part.type === 'error' ? describeFailure(part.error, this.apiKey) : await reply.take(part)
      if (failure !== undefined || signal.aborted) break
    }
    return conclude({ request, reply, failure })
  }

  private async open(request: ModelRequest): Promise<ReadableStream<ReplyPart>> {
    const call = toProviderCall(request)
    if (call.responseFormat === undefined || !this.takesResponseFormat) return this.start(withoutResponseFormat(call))
    try {
      return await this.start(call)
    } catch (error) {
      if (!mayRefuseResponseFormat(error)) throw error
      const stream = await this.start(withoutResponseFormat(call))
      this.takesResponseFormat = false
      return stream
    }
  }

  private async start(call: ProviderCall): Promise<ReadableStream<ReplyPart>> {
    const { stream } = await this.chatModel.doStream(call)
    return stream
  }
}

// Servers say it in many words; asking again without it costs nothing but a request, and tells for certain.
const mayRefuseResponseFormat = (error: unknown): boolean => [400, 415, 422, 501].includes(statusOf(error) ?? 0)

/** The parts one by one, each only when asked for. An error is the last part; whoever stops listening closes the connection. */
async function* partsOf(open: () => Promise<ReadableStream<ReplyPart>>): AsyncGenerator<ReplyPart> {
  let reader: ReadableStreamDefaultReader<ReplyPart> | undefined
  try {
    reader = (await open()).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } catch (error) {
    yield { type: 'error', error }
  } finally {
    // A stream that broke is closed already, and says so by throwing what was reported above.
    await reader?.cancel().catch(() => undefined)
  }
}

interface Ended {
  readonly request: ModelRequest
  readonly reply: IncomingReply
  readonly failure: ProviderFailure | undefined
}

function conclude({ request, reply, failure }: Ended): ModelOutcome {
  const { text, toolCalls, usage } = reply
  if (request.signal.aborted) return { kind: 'aborted', text, tokens: usage ?? reply.estimateTokens() }
  if (failure) {
    // A refusal costs nothing; a reply that broke off was written, and paid for.
    const tokens = usage ?? (reply.isEmpty ? undefined : reply.estimateTokens())
    return { kind: 'failure', ...failure, text, tokens }
  }
  if (reply.isFiltered) return { kind: 'failure', ...filtered, text, tokens: usage }
  if (request.outputSchema === undefined || toolCalls.length > 0) {
    return { kind: 'reply', text, toolCalls, output: null, tokens: usage }
  }
  const output = readOutput(text, request.outputSchema)
  if (output.ok) return { kind: 'reply', text, toolCalls, output: output.value, tokens: usage }
  return { kind: 'failure', ...unfit(output.problem), text, tokens: usage }
}

const filtered: ProviderFailure = {
  reasonCode: 'provider_error',
  message: "The provider's content filter stopped the reply.",
  retryable: false,
}

const unfit = (problem: string): ProviderFailure => ({
  reasonCode: 'provider_error',
  message: `The reply is not the JSON that was asked for: ${problem}.`,
  retryable: true,
})
