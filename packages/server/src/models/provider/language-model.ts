// The types of the SDK's language model interface, which all its providers implement.
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'

export type LanguageModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>
export type ProviderCall = Parameters<LanguageModel['doStream']>[0]

type PartStream = Awaited<ReturnType<LanguageModel['doStream']>>['stream']
/** One part of a streamed reply. */
export type ReplyPart = PartStream extends ReadableStream<infer Part> ? Part : never

/** `openai` is the Responses API, `openai-chat` OpenAI's own chat completions. */
export const wireFormats = ['openai', 'openai-chat', 'anthropic', 'google', 'openai-compatible'] as const
/** The wire format of a provider. */
export type WireFormat = (typeof wireFormats)[number]
