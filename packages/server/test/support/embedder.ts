// An embedding model that counts words: what shares words is close. For tests that need no real meaning.
import { createHash } from 'node:crypto'
import { type Embedder, normalize } from '../../src/memory/embedders/embedder.ts'

const dimensions = 64

export class WordEmbedder implements Embedder {
  readonly model: string
  readonly dimensions = dimensions
  /** Every text it was asked about. */
  readonly texts: string[] = []
  /** Set: it fails with this. */
  failure: Error | undefined
  /** Set: it answers after this. */
  held: Promise<unknown> | undefined

  constructor(model = 'test/words') {
    this.model = model
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.texts.push(...texts)
    await this.held
    if (this.failure) throw this.failure
    return texts.map(wordVector)
  }

  async close(): Promise<void> {}
}

export function wordVector(text: string): Float32Array {
  const counts = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/\p{L}+|\d+/gu) ?? []) {
    const at = createHash('sha256').update(word).digest().readUInt16BE() % dimensions
    counts[at] = (counts[at] ?? 0) + 1
  }
  return normalize(counts)
}
