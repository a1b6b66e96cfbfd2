// A reply while it arrives: passes text on at the listener's pace, collects tool calls and usage, and estimates the
// cost so far.
import { storableText } from '../../../domain/text.ts'
import { estimatePrompt, tokensOfCharacters } from '../../port/estimate-tokens.ts'
import type { AskedToolCall, ModelRequest, TokenUsage } from '../../port/model.ts'
import { EchoedParts } from '../request/echoed-parts.ts'
import { type ProviderToolNames, providerToolNames } from '../request/tool-names.ts'
import type { ReplyPart } from '../sdk/language-model.ts'
import { reasoningIn, refusalIn } from '../sdk/reply-metadata.ts'
import type { ProviderFailure } from './failure.ts'
import { readArguments } from './read-arguments.ts'
import { TextRepair } from './safe-text.ts'
import { readUsage } from './usage.ts'

/** In UTF-16 units, for everything the model wrote. */
export const largestReply = 1_048_576
/** All of them are started at once. More than any model asks for in earnest. */
export const maxCallsPerReply = 256

/** Whether a part shows that the model is working. Empty chunks and keep-alive comments do not. */
export const showsProgress = ({ type }: ReplyPart): boolean =>
  type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-input-delta' || type === 'tool-input-start'

type Taken = ProviderFailure | undefined
type FinishPart = Extract<ReplyPart, { type: 'finish' }>

export class IncomingReply {
  text = ''
  readonly toolCalls: AskedToolCall[] = []
  usage: TokenUsage | undefined
  finish: 'complete' | 'length' = 'complete'
  /** The text of a refusal. Empty if the content filter stopped the reply without a text. */
  refusal: string | undefined
  /** Whether the provider marked the end of the reply. */
  hasEnded = false
  readonly echoed = new EchoedParts()
  private readonly request: ModelRequest
  private readonly repair = new TextRepair()
  private characters = 0
  private readonly callIds = new Set<string>()
  private names: ProviderToolNames | undefined

  constructor(request: ModelRequest) {
    this.request = request
  }

  get isEmpty(): boolean {
    return this.characters === 0
  }

  /** What is billed in any case: the prompt, and the text written so far. */
  estimateUsage(): TokenUsage {
    const input = estimatePrompt(this.request)
    const output = tokensOfCharacters(this.characters)
    return { total: input + output, input, output, estimated: true }
  }

  /** Returns the failure that ends the reply, if any. */
  take(part: ReplyPart): Taken | Promise<undefined> {
    if (part.type !== 'tool-call') this.echoed.take(part, this.text.length)
    if (this.echoed.isFull) return tooLarge
    switch (part.type) {
      case 'text-delta':
        return this.grow(part.delta) ?? this.say(this.repair.push(part.delta))
      case 'reasoning-delta':
      case 'tool-input-delta':
        return this.grow(part.delta)
      case 'tool-input-start':
        return this.grow(part.id + part.toolName)
      case 'tool-call':
        return this.takeCall(part)
      case 'finish':
        return this.end(part)
      default:
        return undefined
    }
  }

  private end(part: FinishPart): Taken | Promise<undefined> {
    this.usage = readUsage(part.usage)
    const refusal = refusalIn(part, this.text)
    if (refusal !== undefined) this.refusal = storableText(refusal)
    this.echoed.reasoning = reasoningIn(part)
    this.hasEnded = marksEnd(part)
    if (part.finishReason.unified === 'length') this.finish = 'length'
    const said = this.say(this.repair.end())
    return part.finishReason.raw === 'MALFORMED_FUNCTION_CALL' ? malformedCall : said
  }

  private grow(piece: string): ProviderFailure | undefined {
    if (this.characters + piece.length > largestReply) return tooLarge
    this.characters += piece.length
    return undefined
  }

  /** A promise only if the listener needs time: most tokens cost no turn of the event loop. */
  private say(text: string): Taken | Promise<undefined> {
    if (text === '') return undefined
    this.text += text
    return this.request.onText(text)?.then(() => undefined)
  }

  private takeCall(part: Extract<ReplyPart, { type: 'tool-call' }>): Taken {
    if (this.toolCalls.length === maxCallsPerReply) return tooManyCalls
    const call = this.toAskedCall(part)
    this.toolCalls.push(call)
    this.callIds.add(call.id)
    this.echoed.take(part, this.text.length, call.id)
    return undefined
  }

  private toAskedCall({ toolCallId, toolName, input }: Extract<ReplyPart, { type: 'tool-call' }>): AskedToolCall {
    this.names ??= providerToolNames(this.request)
    const id = storableText(toolCallId)
    const isTaken = id === '' || this.callIds.has(id)
    return {
      // Some servers send no ids, or the same one for all calls.
      id: isTaken ? `${id || 'call'}_${this.toolCalls.length}` : id,
      name: storableText(this.names.fromProvider(toolName)),
      input: readArguments(input),
    }
  }
}

/**
 * Whether the provider said that the reply is whole. Some servers only send the usage at the end; Gemini sends it with
 * every piece. After an event that they could not read, SDK packages end with `error` instead of `other`.
 */
const marksEnd = ({ finishReason, usage, providerMetadata }: FinishPart): boolean =>
  finishReason.raw !== undefined ||
  (finishReason.unified !== 'other' && finishReason.unified !== 'error') ||
  (readUsage(usage) !== undefined && providerMetadata?.google === undefined)

/** Gemini drops a call that it cannot parse, so there is none to answer. Another try usually succeeds. */
const malformedCall: ProviderFailure = {
  reasonCode: 'provider_error',
  message: 'The model wrote a tool call that the provider could not parse.',
  retry: 'step',
}

const tooManyCalls: ProviderFailure = {
  reasonCode: 'provider_error',
  message: `The model asked for more than ${maxCallsPerReply} tool calls in one reply.`,
  retry: 'step',
}

const tooLarge: ProviderFailure = {
  reasonCode: 'provider_error',
  message: `The provider's reply is longer than ${largestReply} characters.`,
  retry: 'never',
}
