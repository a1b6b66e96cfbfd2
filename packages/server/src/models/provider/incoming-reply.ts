// A reply as it comes in: hands text on at the listener's pace, collects tool calls and usage, and knows what it has cost so far.
import { storableText } from '../../domain/text.ts'
import { tokensOfCharacters } from '../port/estimate-tokens.ts'
import type { AskedToolCall, ModelRequest, Tokens } from '../port/model.ts'
import type { ChatModel } from './call.ts'
import type { ProviderFailure } from './failure.ts'
import { readArguments } from './model-json.ts'
import { TextRepair } from './safe-text.ts'
import { providerToolNames } from './tool-names.ts'

type PartStream = Awaited<ReturnType<ChatModel['doStream']>>['stream']
export type ReplyPart = PartStream extends ReadableStream<infer Part> ? Part : never
type Usage = Extract<ReplyPart, { type: 'finish' }>['usage']

/** In UTF-16 units, all that the model wrote counted together. */
export const largestReply = 1_048_576

export class IncomingReply {
  text = ''
  readonly toolCalls: AskedToolCall[] = []
  usage: Tokens
  isFiltered = false
  private readonly request: ModelRequest
  private readonly repair = new TextRepair()
  private characters = 0

  constructor(request: ModelRequest) {
    this.request = request
  }

  get isEmpty(): boolean {
    return this.characters === 0
  }

  /** What is paid for anyway: the prompt, and what has been written. */
  estimateTokens(): number {
    const { messages, tools } = this.request
    return tokensOfCharacters(JSON.stringify([messages, tools]).length) + tokensOfCharacters(this.characters)
  }

  /** The failure that ends the reply, if any. */
  async take(part: ReplyPart): Promise<ProviderFailure | undefined> {
    switch (part.type) {
      case 'text-delta':
        return this.grow(part.delta) ?? this.say(this.repair.push(part.delta))
      case 'reasoning-delta':
      case 'tool-input-delta':
        return this.grow(part.delta)
      case 'tool-input-start':
        return this.grow(part.id + part.toolName)
      case 'tool-call':
        this.toolCalls.push(toAskedCall(part, providerToolNames(this.request).fromProvider))
        return undefined
      case 'finish':
        this.usage = tokensOf(part.usage)
        this.isFiltered = part.finishReason.unified === 'content-filter'
        return this.say(this.repair.end())
      default:
        return undefined
    }
  }

  private grow(piece: string): ProviderFailure | undefined {
    if (this.characters + piece.length > largestReply) return tooLarge
    this.characters += piece.length
    return undefined
  }

  private async say(text: string): Promise<undefined> {
    if (text === '') return
    this.text += text
    await this.request.onText(text)
  }
}

const tooLarge: ProviderFailure = {
  reasonCode: 'provider_error',
  message: `The provider's reply is longer than ${largestReply} characters.`,
  retryable: false,
}

type CallPart = Extract<ReplyPart, { type: 'tool-call' }>

const toAskedCall = ({ toolCallId, toolName, input }: CallPart, realName: (name: string) => string): AskedToolCall => ({
  id: storableText(toolCallId),
  name: storableText(realName(toolName)),
  input: readArguments(input),
})

/** Input and output together; a server that counts more than these two says so in its total. */
function tokensOf({ inputTokens, outputTokens, raw }: Usage): Tokens {
  if (raw === undefined) return undefined
  const sum = (inputTokens.total ?? 0) + (outputTokens.total ?? 0)
  const total = Math.max(sum, Number(raw.total_tokens ?? 0))
  return Number.isSafeInteger(total) && total >= 0 ? total : undefined
}
