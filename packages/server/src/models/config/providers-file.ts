// The schema of the file of `RUNWRIGHT_PROVIDERS`.
import { z } from 'zod'
import { type ModelParameters, reasoningEfforts } from '../port/model.ts'
import type { ModelConfig, ProviderConfig } from './provider-config.ts'
import { wireFormats } from './wire-format.ts'

const tokens = z.int().min(1)

const parameters = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  reasoning_effort: z.enum(reasoningEfforts).optional(),
  max_output_tokens: tokens.optional(),
  stop: z.array(z.string().min(1)).min(1).optional(),
  seed: z.int().optional(),
  service_tier: z.string().min(1).optional(),
})

const modelFields = {
  context_tokens: tokens.min(1_000).optional(),
  parameters: parameters.optional(),
  options: z.record(z.string(), z.json()).optional(),
  accepts_files: z.array(z.string().regex(/^[a-z]+\/[a-z0-9.+*-]+$/)).optional(),
  fallbacks: z.array(z.string().min(1)).optional(),
}
const model = z.strictObject(modelFields)

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
const headerName = z.string().regex(/^[A-Za-z0-9-]+$/)

const providerFields = {
  format: z.enum(wireFormats).optional(),
  base_url: z.string().min(1).optional(),
  key_env: variable.optional(),
  key_header: headerName.optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
  models: z.record(z.string(), model).optional(),
  ...modelFields,
}

export const fileSchema = z.strictObject({ providers: z.record(z.string(), z.strictObject(providerFields)) })
export const headerSchema = z.union([z.string().regex(/^[\x20-\x7e]*$/), z.strictObject({ env: variable })])

export type ProviderEntry = z.infer<typeof fileSchema>['providers'][string]
type ModelEntry = z.infer<typeof model>

export const fieldNames: readonly string[] = [
  'providers',
  'env',
  ...Object.keys(providerFields),
  ...Object.keys(parameters.shape),
]

export function toModelConfig(entry: ModelEntry): ModelConfig {
  const { context_tokens, parameters: asked, options, accepts_files, fallbacks } = entry
  return {
    ...(context_tokens !== undefined && { contextTokens: context_tokens }),
    ...(asked && { parameters: toParameters(asked) }),
    ...(options && { options }),
    ...(accepts_files && { acceptsFiles: accepts_files }),
    ...(fallbacks && { fallbacks }),
  }
}

export const toModels = (models: ProviderEntry['models'] = {}): ProviderConfig['models'] =>
  Object.fromEntries(Object.entries(models).map(([name, entry]) => [name, toModelConfig(entry)]))

function toParameters(entry: z.infer<typeof parameters>): ModelParameters {
  const { temperature, reasoning_effort, max_output_tokens, stop, seed, service_tier } = entry
  return {
    ...(temperature !== undefined && { temperature }),
    ...(reasoning_effort !== undefined && { reasoningEffort: reasoning_effort }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(stop && { stop }),
    ...(seed !== undefined && { seed }),
    ...(service_tier !== undefined && { serviceTier: service_tier }),
  }
}
