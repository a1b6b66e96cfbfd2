// From the name in the settings to the embedding model.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Embedder } from './embedder.ts'
import { OfflineEmbedder } from './offline-embedder.ts'
import { type EmbeddingServer, providerEmbedder } from './provider-embedder.ts'

/** `readServer` is asked only for a provider's model. */
export async function chooseEmbedder(name: string, readServer: () => EmbeddingServer): Promise<Embedder> {
  if (name === 'offline') return new OfflineEmbedder()
  const model = /^openai-compatible\/(\S+)$/.exec(name)?.[1]
  if (model !== undefined) return providerEmbedder({ name, model, server: readServer() })
  throw new SettingsError(
    `There is no embedding model ${JSON.stringify(name)}: RUNWRIGHT_EMBEDDING_MODEL takes offline or openai-compatible/<model>.`,
  )
}
