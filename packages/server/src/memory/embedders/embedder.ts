// The embedding port: texts in, vectors back whose angle tells how close the meanings are.
import { sleep } from '../../runtime/backoff.ts'

export interface Embedder {
  /** Stored beside each vector: those of different models are never compared. */
  readonly model: string
  /** Undefined until the model has told it. */
  readonly dimensions: number | undefined
  /** One vector of length 1 for each text; a text must not be empty. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  close(): Promise<void>
}

/** So much of a text says what it is about; models read no further, or refuse. */
const maxCharacters = 8_000

export const textToEmbed = ({ title, content }: { readonly title: string; readonly content: string }): string =>
  `${title}\n${content}`.slice(0, maxCharacters)

/** Length 1, so that a product of two vectors is the cosine of their angle. */
export function normalize(numbers: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(numbers)
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) throw new Error('the model gave a vector without a direction')
  return vector.map((value) => value / length)
}

export interface Deadline {
  readonly seconds: number
  readonly signal?: AbortSignal
}

/** The vector of one text, as `embedAllWithin`. */
export const embedWithin = async (embedder: Embedder, text: string, deadline: Deadline): Promise<Float32Array> =>
  (await embedAllWithin(embedder, [text], deadline))[0] as Float32Array

/** Rejects when it takes too long or is aborted, whether or not the model listens to its signal. */
export async function embedAllWithin(
  embedder: Embedder,
  texts: readonly string[],
  { seconds, signal }: Deadline,
): Promise<Float32Array[]> {
  const over = new AbortController()
  const giveUp = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const late = sleep(seconds * 1000, giveUp).then(() => {
    throw new Error(`no embedding within ${seconds} seconds`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([embedder.embed(texts, giveUp), late])
  } finally {
    over.abort()
  }
}
