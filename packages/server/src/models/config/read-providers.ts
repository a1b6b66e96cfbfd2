// Reads the file of `RUNWRIGHT_PROVIDERS`. An error names the file and the field, but never repeats a value, which may
// be a secret.
import { describeIssue, showName } from '@runwright/contract'
import { parseConfigJson } from '../../domain/json/config-json.ts'
import { readJsonFile } from '../../runtime/files/json-file.ts'
import { findNearestName } from '../../runtime/settings/nearest-name.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { ProviderConfig, Providers } from './provider-config.ts'
import { fieldNames, fileSchema, headerSchema, type ProviderEntry, toModelConfig, toModels } from './providers-file.ts'
import { readUrl } from './server.ts'
import { type WireFormat, wireFormats } from './wire-format.ts'

const setting = 'RUNWRIGHT_PROVIDERS'
const providerName = /^[a-z0-9][a-z0-9-]*$/
/** Headers that carry a secret in every API that is known to have them. */
const secretHeader = /authorization|cookie|token|secret|(^|-)key$|apikey/i

type Refuse = (problem: string) => never

/** The providers of the file and the built-in ones, which work without a file. */
export function readProviders(path: string | undefined): Providers {
  const builtIn = wireFormats.map((format): [string, ProviderConfig] => [format, builtInProvider(format)])
  return path === undefined ? new Map(builtIn) : new Map([...builtIn, ...readFile(path)])
}

/** Embedding models are those of the built-in OpenAI-compatible server. */
export const embeddingProvider = (providers: Providers): ProviderConfig =>
  providers.get('openai-compatible') ?? builtInProvider('openai-compatible')

const builtInProvider = (format: WireFormat): ProviderConfig => ({
  name: format,
  format,
  headers: {},
  defaults: {},
  models: {},
})

function readFile(path: string): [string, ProviderConfig][] {
  const refuse: Refuse = (problem) => {
    throw new SettingsError(`${setting}: in ${path}, ${problem}.`)
  }
  const value = readJsonFile(setting, path, parseConfigJson)
  const file = fileSchema.safeParse(value)
  if (!file.success) return refuse(describeIssue({ error: file.error, value }) + adviceFor(file.error.issues[0]))
  const entries = Object.entries(file.data.providers)
  const names = [...wireFormats, ...entries.map(([name]) => name)]
  return entries.map(([name, entry]) => {
    checkFallbacks({ name, entry, names, refuse })
    return [name, toProvider({ name, entry, path, refuse })]
  })
}

function adviceFor(issue: { code?: string | undefined; keys?: readonly string[] } | undefined): string {
  const [unknown] = issue?.code === 'unrecognized_keys' ? (issue.keys ?? []) : []
  const nearest = unknown === undefined ? undefined : findNearestName(unknown, fieldNames)
  return nearest === undefined ? '' : `: did you mean ${nearest}?`
}

interface Entry {
  readonly name: string
  readonly entry: ProviderEntry
  readonly refuse: Refuse
}

function toProvider({ name, entry, path, refuse }: Entry & { readonly path: string }): ProviderConfig {
  if (!providerName.test(name) || name === 'sandbox') {
    refuse(`the provider name ${showName(name)} must match ${providerName} and must not be sandbox`)
  }
  const { base_url, key_env, key_header, headers = {}, models, ...defaults } = entry
  const place = `providers.${name}`
  return {
    name,
    format: formatOf({ name, entry, refuse }),
    ...(base_url !== undefined && {
      baseUrl: readUrl(base_url, `${setting}: in ${path}, ${place}.base_url`, 'key_env'),
    }),
    ...(key_env !== undefined && { keyEnv: key_env }),
    ...(key_header !== undefined && { keyHeader: key_header.toLowerCase() }),
    headers: Object.fromEntries(
      Object.entries(headers).map(([header, value]) => [header, readHeader(header, value, { place, refuse })]),
    ),
    defaults: toModelConfig(defaults),
    models: toModels(models),
    at: `${setting}: in ${path}, ${place}`,
  }
}

function formatOf({ name, entry, refuse }: Entry): WireFormat {
  const builtIn = wireFormats.find((format) => format === name)
  const format = entry.format ?? builtIn
  if (format === undefined) return refuse(`providers.${name}.format is required`)
  if (builtIn === undefined && format === 'openai-compatible' && entry.base_url === undefined) {
    return refuse(`providers.${name}.base_url is required`)
  }
  return format
}

function readHeader(header: string, value: unknown, { place, refuse }: { place: string; refuse: Refuse }) {
  const at = `${place}.headers.${header}`
  if (!/^[A-Za-z0-9-]+$/.test(header)) return refuse(`${place}.headers has a name that is not a valid HTTP header`)
  const read = headerSchema.safeParse(value)
  if (!read.success) return refuse(`${at} must be printable ASCII, or {"env": "NAME"}`)
  if (typeof read.data === 'string' && secretHeader.test(header)) {
    return refuse(`${at} must be {"env": "NAME"}, because keys come only from environment variables`)
  }
  return read.data
}

function checkFallbacks({ name, entry, names, refuse }: Entry & { readonly names: readonly string[] }): void {
  const lists = [
    { at: `providers.${name}.fallbacks`, list: entry.fallbacks ?? [] },
    ...Object.entries(entry.models ?? {}).map(([model, { fallbacks = [] }]) => ({
      at: `providers.${name}.models[${JSON.stringify(model)}].fallbacks`,
      list: fallbacks,
    })),
  ]
  for (const { at, list } of lists) {
    const wrong = list.findIndex((model) => model !== 'sandbox' && !isModelOf(model, names))
    if (wrong >= 0) refuse(`${at}[${wrong}] must be <provider>/<model> of a provider that exists: ${names.join(', ')}`)
  }
}

const isModelOf = (model: string, names: readonly string[]): boolean =>
  names.some((name) => model.startsWith(`${name}/`) && /^\S+$/.test(model.slice(name.length + 1)))
