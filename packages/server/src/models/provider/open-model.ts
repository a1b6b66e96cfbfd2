// Opens a model of a provider.
import type { Model } from '../port/model.ts'
import { filesTakenBy } from './file-parts.ts'
import type { WireFormat } from './language-model.ts'
import { openSdk } from './open-sdk.ts'
import { type Quirk, Quirks } from './quirks.ts'
import { SdkModel } from './sdk-model.ts'
import type { ProviderServer } from './server.ts'

interface ProviderModelOptions {
  /** `<provider>/<model>` */
  readonly name: string
  readonly format: WireFormat
  readonly model: string
  readonly server: ProviderServer
  readonly contextTokens?: number | undefined
  /** Media types; `image/*` is all images. Default: what the models of the wire format take. */
  readonly acceptsFiles?: readonly string[] | undefined
  readonly silenceMs?: number
  readonly onQuirk?: (quirk: Quirk) => void
}

const defaultSilenceMs = 60_000

export async function openProviderModel(options: ProviderModelOptions): Promise<Model> {
  const { name, format, model, server, contextTokens, silenceMs = defaultSilenceMs, onQuirk } = options
  const { acceptsFiles = filesTakenBy[format] } = options
  const quirks = new Quirks(onQuirk)
  const languageModel = await openSdk[format]({ server, model, quirks })
  return new SdkModel({ name, languageModel, apiKey: server.apiKey, quirks, silenceMs, contextTokens, acceptsFiles })
}
