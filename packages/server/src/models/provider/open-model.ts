// Opens a model of a provider.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { ModelConfig } from '../config/provider-config.ts'
import type { ProviderServer } from '../config/server.ts'
import type { Model } from '../port/model.ts'
import { ProviderModel } from './provider-model.ts'
import { filesTakenBy } from './request/file-parts.ts'
import { bodyAdditions, type ModelTuning, tuneCall } from './request/parameters.ts'
import type { LanguageModel, ProviderCall, WireFormat } from './sdk/language-model.ts'
import { openSdk } from './sdk/open-sdk.ts'
import { type Quirk, Quirks } from './sdk/quirks.ts'
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

/**
 * The name of an option that the SDK package does not accept. Undefined: it accepts all of them. The package itself
 * checks them, before a run needs them: a wrong one would fail every call.
 */
async function findInvalidOption(
  languageModel: LanguageModel,
  tune: (call: ProviderCall) => ProviderCall,
): Promise<string | undefined> {
  const prompt: ProviderCall['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'check' }] }]
  try {
    // The package reads the options first. Then it finds the signal aborted, and sends nothing.
    await languageModel.doStream(tune({ prompt, abortSignal: AbortSignal.abort() }))
  } catch (error) {
    return nameOfOption(error)
  }
  return undefined
}

/** Errors are recognized by their fields, because several copies of the classes may be loaded. */
function nameOfOption(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'AI_InvalidArgumentError') return undefined
  const problem = (error.cause as { cause?: { issues?: readonly { path?: readonly unknown[] }[] } } | undefined)?.cause
  return String(problem?.issues?.[0]?.path?.[0] ?? 'unknown')
}
