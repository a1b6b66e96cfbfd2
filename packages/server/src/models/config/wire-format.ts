// The wire formats of providers. Each is the name of a built-in provider, too.

/** `openai` is the Responses API, `openai-chat` OpenAI's own chat completions. */
export const wireFormats = ['openai', 'openai-chat', 'anthropic', 'google', 'openai-compatible'] as const
export type WireFormat = (typeof wireFormats)[number]
