// The types of the SDK's language model interface, which all its providers implement.
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'

export type LanguageModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>
export type ProviderCall = Parameters<LanguageModel['doStream']>[0]

type PartStream = Awaited<ReturnType<LanguageModel['doStream']>>['stream']
/** One part of a streamed reply. */
export type ReplyPart = PartStream extends ReadableStream<infer Part> ? Part : never

export type { WireFormat } from '../../config/wire-format.ts'
