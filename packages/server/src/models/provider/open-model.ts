// Opens a model of a provider.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { ModelConfig } from '../config/provider-config.ts'
import type { ProviderServer } from '../config/server.ts'
import type { Model } from '../port/model.ts'
import { findInvalidOption } from './check-options.ts'
import { filesTakenBy } from './file-parts.ts'
import type { LanguageModel, WireFormat } from './language-model.ts'
import { openSdk } from './open-sdk.ts'
import { bodyAdditions, type ModelTuning, tuneCall } from './parameters.ts'
import { ProviderModel } from './provider-model.ts'
import { type Quirk, Quirks } from './quirks.ts'
import { SdkModel } from './sdk-model.ts'

interface ProviderModelOptions extends Omit<ModelConfig, 'fallbacks'> {
  /** `<provider>/<model>` */
  readonly name: string
  readonly format: WireFormat
  readonly model: string
  readonly server: ProviderServer
  /** The most tokens that an answer can have. Undefined: not known. */
  readonly largestOutput?: number | undefined
  /** Where it is configured, for messages. */
  readonly at?: string | undefined
  readonly silenceMs?: number
  readonly onQuirk?: (quirk: Quirk) => void
}

const defaultSilenceMs = 60_000

export async function openProviderModel(options: ProviderModelOptions): Promise<Model> {
  const { name, format, model, server, contextTokens, silenceMs = defaultSilenceMs, onQuirk } = options
  const { acceptsFiles = filesTakenBy[format] } = options
  const quirks = new Quirks(onQuirk)
  const { parameters, options: sdkOptions, largestOutput } = options
  const tuning = { format, model, parameters, options: sdkOptions, largestOutput }
  const provider = name.slice(0, name.indexOf('/'))
  const languageModel = await openSdk[format]({ provider, server, model, quirks, added: bodyAdditions(tuning) })
  if (options.at !== undefined) await checkOptions(languageModel, tuning, options.at)
  const sdkModel = new SdkModel({
    name,
    languageModel,
    apiKey: server.apiKey,
    quirks,
    silenceMs,
    contextTokens,
    acceptsFiles,
    tune: (call, request) => tuneCall(call, request, tuning),
  })
  return new ProviderModel({ model: sdkModel, provider, secrets: server.secrets ?? [] })
}

async function checkOptions(languageModel: LanguageModel, tuning: ModelTuning, at: string): Promise<void> {
  const invalid = await findInvalidOption(languageModel, (call) =>
    tuneCall(call, { maxOutputTokens: undefined }, tuning),
  )
  if (invalid === undefined) return
  throw new SettingsError(
    `${at}: the format ${tuning.format} does not accept the value of the option ${invalid} of ${tuning.model}.`,
  )
}
