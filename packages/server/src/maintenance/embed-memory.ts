// Gives embeddings to memory items that have none, because the model was away when they were saved, or another model's.
import { type Embedder, textToEmbed } from '../memory/embedder.ts'
import type { Database } from '../store/database.ts'
import { findUnembedded, storeEmbeddings } from '../store/memory-embeddings.ts'

interface Dependencies {
  readonly database: Database
  readonly embedder: Embedder
}

// A search must not wait long for its turn at the model, nor a process for its end.
const batchSize = 8
const maxBatches = 8
const embedTimeoutMs = 60_000

export async function embedMemory(dependencies: Dependencies): Promise<{ embedded: number }> {
  let embedded = 0
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const done = await embedBatch(dependencies)
    embedded += done
    if (done < batchSize) break
  }
  return { embedded }
}

async function embedBatch({ database, embedder }: Dependencies): Promise<number> {
  const { model } = embedder
  const items = await findUnembedded(database, model, batchSize)
  const vectors = await embedder.embed(items.map(textToEmbed), AbortSignal.timeout(embedTimeoutMs))
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
