// Where each provider puts the words of a refusal.

export const refusalKey = 'openai-compatible'

type Chunk = { readonly choices?: readonly { readonly delta?: { readonly refusal?: unknown } }[] } | undefined

/**
 * Collects the words of a refusal in OpenAI's chat format. They are in a field beside the content, which the package
 * for compatible servers drops; its hook for metadata sees every chunk, and is far cheaper than asking for the raw
 * chunks too. `providerMetadata` of the finish part then has the words.
 */
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

interface Ending {
  readonly finishReason: { readonly unified: string; readonly raw?: string | undefined }
  readonly providerMetadata?: unknown
}

type Metadata = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>

/**
 * The words of a refusal, empty if a content filter stopped the reply without any. Undefined if the reply is not a
 * refusal. `text` is what the model wrote.
 */
export function refusalIn({ finishReason, providerMetadata }: Ending, text: string): string | undefined {
  const { [refusalKey]: compatible, anthropic, google } = (providerMetadata ?? {}) as Metadata
  const words = compatible?.refusal
  if (typeof words === 'string') return words
  if (finishReason.unified !== 'content-filter') return undefined
  const details = anthropic?.stopDetails as { readonly explanation?: unknown } | undefined
  const explanation = details?.explanation ?? google?.finishMessage
  if (typeof explanation === 'string') return explanation
  // The package of OpenAI passes a refusal on as text. A filter is named in the reason.
  return finishReason.raw === undefined || finishReason.raw === 'stop' ? text : ''
}
