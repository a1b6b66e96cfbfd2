// Creates the models of the three roles from the names in the settings.
import type { Role } from '@runwright/contract'
import { SettingsError } from '../runtime/settings/settings-error.ts'
import { contextWindowOf } from './context-windows.ts'
import { ModelBook } from './model-book.ts'
import type { Model } from './port/model.ts'
import type { WireFormat } from './provider/language-model.ts'
import { openProviderModel } from './provider/open-model.ts'
import { openSdk } from './provider/open-sdk.ts'
import type { Quirk } from './provider/quirks.ts'
import { readProviderServer } from './provider/server.ts'
import { sandbox } from './sandbox/sandbox.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface ModelOptions {
  /** How long a provider may be silent. */
  readonly silenceMs?: number
  /** Called when a server refuses a feature for a model. */
  readonly onQuirk?: (model: string, quirk: Quirk) => void
}

/** The models that the settings and the environment make available. */
export const modelBook = (env: Environment, options: ModelOptions = {}): ModelBook =>
  new ModelBook((name) => openModel(name, env, options))

/** The models of each role. Throws a SettingsError if a name or the provider's settings are invalid. */
export async function chooseModels(
  names: Readonly<Record<Role, string>>,
  book: ModelBook,
): Promise<Record<Role, readonly Model[]>> {
  const [planner, worker, judge] = await Promise.all([
    book.open(names.planner),
    book.open(names.worker),
    book.open(names.judge),
  ])
  return { planner, worker, judge }
}

async function openModel(name: string, env: Environment, { silenceMs, onQuirk }: ModelOptions): Promise<Model> {
  if (name === sandbox.name) return sandbox
  const [, provider = '', model = ''] = /^([a-z-]+)\/(\S+)$/.exec(name) ?? []
  if (!isFormat(provider)) {
    throw new SettingsError(
      `Unknown model ${JSON.stringify(name)}. RUNWRIGHT_MODEL and RUNWRIGHT_MODEL_* take sandbox or <provider>/<model>; the providers are ${formats.join(', ')}.`,
    )
  }
  return openProviderModel({
    name,
    format: provider,
    model,
    server: readProviderServer(env, provider),
    contextTokens: contextWindowOf(model),
    ...(silenceMs !== undefined && { silenceMs }),
    ...(onQuirk && { onQuirk: (quirk: Quirk) => onQuirk(name, quirk) }),
  })
}

const formats = Object.keys(openSdk) as WireFormat[]

const isFormat = (provider: string): provider is WireFormat => formats.some((format) => format === provider)
