// Creates the embedder that the settings name.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Embedder } from './embedder.ts'
import { OfflineEmbedder } from './offline-embedder.ts'
import { type EmbeddingServer, providerEmbedder } from './provider-embedder.ts'

/** `readServer` is called only for an OpenAI-compatible model. */
export async function chooseEmbedder(name: string, readServer: () => EmbeddingServer): Promise<Embedder> {
  if (name === 'offline') return new OfflineEmbedder()
  const model = /^openai-compatible\/(\S+)$/.exec(name)?.[1]
  if (model !== undefined) return providerEmbedder({ name, model, server: readServer() })
  throw new SettingsError(
    `RUNWRIGHT_EMBEDDING_MODEL: unknown model ${JSON.stringify(name)}. Use offline or openai-compatible/<model>.`,
  )
}
