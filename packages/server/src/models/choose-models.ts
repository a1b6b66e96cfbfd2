// Creates the models that the settings name.
import type { Role } from '@runwright/contract'
import { SettingsError } from '../runtime/settings/settings-error.ts'
import { findModelConfig, type Providers } from './config/provider-config.ts'
import { readProviders } from './config/read-providers.ts'
import { readProviderServer } from './config/server.ts'
import { contextWindowOf, largestOutputOf } from './context-windows.ts'
import { ModelBook } from './model-book.ts'
import type { Model } from './port/model.ts'
import { openProviderModel } from './provider/open-model.ts'
import type { Quirk } from './provider/sdk/quirks.ts'
import { sandbox } from './sandbox/sandbox.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface ModelOptions {
  /** Default: the built-in ones. */
  readonly providers?: Providers
  /** How long a provider may be silent. */
  readonly silenceMs?: number
  /** Called when a server refuses a feature for a model. */
  readonly onQuirk?: (model: string, quirk: Quirk) => void
}

/** How many tokens fit into one call. Undefined: not known. */
export function windowOf(name: string, providers: Providers): number | undefined {
  const found = findModelConfig(name, providers)
  return found && (found.config.contextTokens ?? contextWindowOf(found.model))
}

/** The models that the settings and the environment make available. */
export function modelBook(env: Environment, options: ModelOptions = {}): ModelBook {
  const { providers = readProviders(undefined) } = options
  return new ModelBook({
    openOne: (name) => openModel(name, env, { ...options, providers }),
    fallbacksOf: (name) => findModelConfig(name, providers)?.config.fallbacks ?? [],
  })
}

type ModelNames = Readonly<Record<Role, string>> & { readonly allowed?: readonly string[] }

/**
 * The models of each role. Opens those that a run may choose, too. Throws a SettingsError if a name or the provider's
 * settings are invalid.
 */
export async function chooseModels(names: ModelNames, book: ModelBook): Promise<Record<Role, readonly Model[]>> {
  const [planner, worker, judge] = await Promise.all([
    book.open(names.planner),
    book.open(names.worker),
    book.open(names.judge),
    ...(names.allowed ?? []).map((name) => book.open(name)),
  ])
  return { planner, worker, judge }
}

async function openModel(
  name: string,
  env: Environment,
  { providers, silenceMs, onQuirk }: ModelOptions & { readonly providers: Providers },
): Promise<Model> {
  if (name === sandbox.name) return sandbox
  const found = findModelConfig(name, providers)
  if (found === undefined) {
    throw new SettingsError(
      `Unknown model ${JSON.stringify(name)}. A model is sandbox or <provider>/<model>; the providers are ${[...providers.keys()].join(', ')}.`,
    )
  }
  const { provider, model, config } = found
  const { fallbacks: _, ...modelConfig } = config
  return openProviderModel({
    ...modelConfig,
    name,
    format: provider.format,
    model,
    server: readProviderServer(env, provider),
    at: provider.at,
    contextTokens: config.contextTokens ?? contextWindowOf(model),
    largestOutput: largestOutputOf(model),
    ...(silenceMs !== undefined && { silenceMs }),
    ...(onQuirk && { onQuirk: (quirk: Quirk) => onQuirk(name, quirk) }),
  })
}
