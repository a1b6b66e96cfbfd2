// Refusals in OpenAI's chat format. They are in a field beside the content, which the SDK drops; its hook for metadata sees
// every chunk, and is far cheaper than asking for the raw chunks too.

export const refusalKey = 'openai-compatible'

type Chunk = { readonly choices?: readonly { readonly delta?: { readonly refusal?: unknown } }[] } | undefined

/** Collects the words of a refusal; `providerMetadata` of the finish part then has them. */
export function refusalExtractor() {
  let refusal = ''
  return {
    processChunk: (chunk: unknown): void => {
      const words = (chunk as Chunk)?.choices?.[0]?.delta?.refusal
      if (typeof words === 'string') refusal += words
    },
    buildMetadata: () => (refusal === '' ? undefined : { [refusalKey]: { refusal } }),
  }
}

export function refusalIn(metadata: unknown): string | undefined {
  const words = (metadata as Record<string, { refusal?: unknown }> | undefined)?.[refusalKey]?.refusal
  return typeof words === 'string' ? words : undefined
}
