// Embeds memory items that have no embedding of the current model: the model was not available when they were saved, or
// it was another one.
import { type Embedder, embedAllWithin, textToEmbed } from '../memory/embedders/embedder.ts'
import { findUnembedded, storeEmbeddings } from '../store/memory/embeddings.ts'
import type { Database } from '../store/postgres/database.ts'

interface Dependencies {
  readonly database: Database
  readonly embedder: Embedder
  /** Aborted when the process stops: a slow model must not hold it up. */
  readonly signal: AbortSignal
}

// Small, so that a search does not wait long for the model.
const batchSize = 8
const maxBatches = 8
const embedSeconds = 60

export async function embedMemory(dependencies: Dependencies): Promise<{ embedded: number }> {
  let embedded = 0
  const { signal } = dependencies
  for (let batch = 0; batch < maxBatches && !signal.aborted; batch += 1) {
    const done = await embedBatch(dependencies).catch((error: unknown) => {
      if (signal.aborted) return 0
      throw error
    })
    embedded += done
    if (done < batchSize) break
  }
  return { embedded }
}

async function embedBatch({ database, embedder, signal }: Dependencies): Promise<number> {
  const { model } = embedder
  const items = await findUnembedded(database, model, batchSize)
  if (items.length === 0) return 0
  const vectors = await embedAllWithin(embedder, items.map(textToEmbed), { seconds: embedSeconds, signal })
  const embedded = items.map(({ id, customerId }, index) => ({
    id,
    customerId,
    embedding: { model, vector: vectors[index] as Float32Array },
  }))
  for (const customerId of new Set(items.map((item) => item.customerId))) {
    const own = embedded.filter((item) => item.customerId === customerId)
    await storeEmbeddings(database, customerId, own)
  }
  return items.length
}
