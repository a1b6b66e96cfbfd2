// The embedding port: converts texts to vectors whose angles reflect how close the texts are in meaning.
import { sleep } from '../../runtime/backoff.ts'
import { linkSignals } from '../../runtime/linked-signal.ts'

/**
 * An embedding model. One object serves the whole process, with any number of `embed` calls at the same time.
 *
 * Memory works without it: if `embed` fails or takes too long, notes are saved without a vector and get one later from
 * a background job, and searches compare words only. An embedder therefore does not retry.
 */
export interface Embedder {
  /**
   * Identifies the model, such as `offline/use-lite-en`; constant. It is stored with each vector, and only vectors of
   * the same model are compared. Change it whenever the same text would get a different vector: then all items are
   * embedded again in the background.
   */
  readonly model: string
  /** The length of all vectors. May be undefined until `embed` has returned the first vector; constant after that. */
  readonly dimensions: number | undefined
  /**
   * Returns one vector per text, in the order of the texts. Every vector has the same number of dimensions and length
   * 1; `normalize` scales it. An empty list of texts gives an empty list.
   *
   * Callers pass at most 8 texts per call. A text is never empty. The text of an item has at most 8,000 characters; a
   * query may be longer, and the embedder may cut it to what the model can read.
   *
   * Rejects if any of the texts cannot be embedded; there are no partial results. The error may be logged, so its
   * message must not contain the texts.
   *
   * When `signal` aborts, the call should stop and reject. An embedder may ignore the signal: the caller stops waiting
   * anyway and ignores the result. It must not block the thread for long; heavy computation belongs on a worker thread.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /**
   * Releases all resources and rejects calls that are still waiting. Called once, when the process stops. Must resolve
   * even if the model was never used.
   */
  close(): Promise<void>
}

/** The beginning of a text says what it is about. Models ignore or reject longer texts. */
const maxCharacters = 8_000

export const textToEmbed = ({ title, content }: { readonly title: string; readonly content: string }): string =>
  `${title}\n${content}`.slice(0, maxCharacters)

/** Scales to length 1, so that the dot product of two vectors is the cosine of their angle. */
export function normalize(numbers: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(numbers)
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
    throw new Error('the embedding is not usable: its length is zero or not finite')
  }
  return vector.map((value) => value / length)
}

interface Deadline {
  readonly seconds: number
  readonly signal?: AbortSignal
}

/** The vector of one text, see `embedAllWithin`. */
export const embedWithin = async (embedder: Embedder, text: string, deadline: Deadline): Promise<Float32Array> =>
  (await embedAllWithin(embedder, [text], deadline))[0] as Float32Array

/** Rejects when it takes too long or `signal` aborts, even if the embedder ignores its signal. */
export async function embedAllWithin(
  embedder: Embedder,
  texts: readonly string[],
  { seconds, signal }: Deadline,
): Promise<Float32Array[]> {
  const finished = new AbortController()
  const stop = linkSignals(finished.signal, ...(signal ? [signal] : []))
  const timeout = sleep(seconds * 1000, stop.signal).then(() => {
    throw new Error(`no embedding within ${seconds} seconds`)
  })
  timeout.catch(() => undefined)
  try {
    return await Promise.race([embedder.embed(texts, stop.signal), timeout])
  } finally {
    finished.abort()
    stop.release()
  }
}
