// How a provider and its models are configured: by the file of `RUNWRIGHT_PROVIDERS`, or built in.
import type { ModelParameters } from '../port/model.ts'
import type { WireFormat } from './wire-format.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Options of the provider's SDK, as they are in the file. */
export type SdkOptions = Record<string, Json>

export interface ModelConfig {
  readonly contextTokens?: number | undefined
  readonly parameters?: ModelParameters | undefined
  readonly options?: SdkOptions | undefined
  /** Media types. Undefined: what is known of the format. */
  readonly acceptsFiles?: readonly string[] | undefined
  /** The models that take over when this one is not available. */
  readonly fallbacks?: readonly string[] | undefined
}

/** The name of an environment variable that has the value. */
export interface FromEnvironment {
  readonly env: string
}

export interface ProviderConfig {
  readonly name: string
  readonly format: WireFormat
  readonly baseUrl?: string | undefined
  readonly keyEnv?: string | undefined
  /** The header that carries the key. Undefined: that of the format. */
  readonly keyHeader?: string | undefined
  readonly headers: Readonly<Record<string, string | FromEnvironment>>
  /** For models that do not have their own. */
  readonly defaults: ModelConfig
  readonly models: Readonly<Record<string, ModelConfig>>
  /** The place in the file, for messages. Undefined: the provider is built in. */
  readonly at?: string | undefined
}

/** By name. */
export type Providers = ReadonlyMap<string, ProviderConfig>

/** A model has the parameters and options of its provider, unless it sets them itself. */
export function modelConfigOf({ defaults, models }: ProviderConfig, model: string): ModelConfig {
  const own = Object.hasOwn(models, model) ? (models[model] as ModelConfig) : {}
  return {
    contextTokens: own.contextTokens ?? defaults.contextTokens,
    parameters: { ...defaults.parameters, ...own.parameters },
    options: { ...defaults.options, ...own.options },
    acceptsFiles: own.acceptsFiles ?? defaults.acceptsFiles,
    fallbacks: own.fallbacks ?? defaults.fallbacks,
  }
}
