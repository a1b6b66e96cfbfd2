// Marks for Anthropic's prompt cache, which stores a prompt only up to marked places. The order of a prompt is tools,
// system, messages, so each mark stores all that comes before it.
import type { ProviderCall } from './language-model.ts'

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/**
 * Marks the last tool, the system prompt, and the last two messages that are not the model's own: the next turn repeats
 * them and reads them from the cache. The second to last is where this turn reads, even if many parts came since.
 */
export function cacheMarks(call: ProviderCall): ProviderCall {
  const { tools, prompt } = call
  const incoming = [...prompt.keys()].filter((at) => prompt[at]?.role === 'user' || prompt[at]?.role === 'tool')
  const marked = new Set(incoming.slice(-2))
  return {
    ...call,
    prompt: prompt.map((message, at) =>
      message.role === 'system' || marked.has(at) ? { ...message, providerOptions: mark } : message,
    ),
    ...(tools && {
      tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, providerOptions: mark } : tool)),
    }),
  }
}
