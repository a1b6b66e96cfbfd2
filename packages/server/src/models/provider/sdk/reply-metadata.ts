// What the packages of the providers leave beside the parts of a reply: the words of a refusal, and reasoning that
// compatible servers demand back.
import { ReasoningCollector, type ReasoningFields } from './reasoning-fields.ts'

const compatibleKey = 'openai-compatible'

type Chunk = { readonly choices?: readonly { readonly delta?: Readonly<Record<string, unknown>> }[] } | undefined

/**
 * Collects what OpenAI's chat format has in fields beside the content, which the package for compatible servers drops;
 * its hook for metadata sees every chunk, and is far cheaper than asking for the raw chunks too. `providerMetadata` of
 * the finish part then has it.
 */
export function extractMetadata() {
  let refusal = ''
  const reasoning = new ReasoningCollector()
  return {
    processChunk: (chunk: unknown): void => {
      const delta = (chunk as Chunk)?.choices?.[0]?.delta
      if (!delta) return
      if (typeof delta.refusal === 'string') refusal += delta.refusal
      reasoning.take(delta)
    },
    buildMetadata: () => {
      const { fields } = reasoning
      return { [compatibleKey]: { ...(refusal !== '' && { refusal }), ...(fields && { reasoning: fields as never }) } }
    },
  }
}

/** The reasoning that the server sent in fields of its message. */
export function reasoningIn({ providerMetadata }: Ending): ReasoningFields | undefined {
  const { [compatibleKey]: compatible } = (providerMetadata ?? {}) as Metadata
  return compatible?.reasoning as ReasoningFields | undefined
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
  const { [compatibleKey]: compatible, anthropic, google } = (providerMetadata ?? {}) as Metadata
  const words = compatible?.refusal
  if (typeof words === 'string') return words
  if (finishReason.unified !== 'content-filter') return undefined
  const details = anthropic?.stopDetails as { readonly explanation?: unknown } | undefined
  const explanation = details?.explanation ?? google?.finishMessage
  if (typeof explanation === 'string') return explanation
  // The package of OpenAI passes a refusal on as text. A filter is named in the reason.
  return finishReason.raw === undefined || finishReason.raw === 'stop' ? text : ''
}
