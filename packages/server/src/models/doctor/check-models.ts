// Checks every model that the settings name, and says what to do where one does not work.
import { roles } from '@runwright/contract'
import type { ModelSettings } from '../../runtime/settings/settings.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { modelBook } from '../choose-models.ts'
import type { Providers } from '../config/provider-config.ts'
import type { ModelBook } from '../model-book.ts'
import type { Quirk } from '../provider/sdk/quirks.ts'
import { sandbox } from '../sandbox/sandbox.ts'
import { adviceFor, explainQuirk } from './advice.ts'
import { checkModel, type ModelFeatures, unanswered } from './check-model.ts'

export interface CheckedModel extends ModelFeatures {
  readonly model: string
  /** What uses it: roles, `allowed` for runs that choose it, `providers file`. */
  readonly usedBy: readonly string[]
  readonly works: boolean
  readonly firstTokenMs: number | undefined
  readonly durationMs: number | undefined
  readonly problem: { readonly reasonCode: string; readonly message: string; readonly advice: string } | undefined
  readonly remarks: readonly string[]
}

interface CheckOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly settings: ModelSettings
  readonly providers: Providers
  readonly silenceMs: number
  /** For one call. */
  readonly timeoutMs: number
}

export async function checkModels(options: CheckOptions): Promise<CheckedModel[]> {
  const quirks = new Map<string, Quirk[]>()
  const onQuirk = (model: string, quirk: Quirk) => void quirks.set(model, [...(quirks.get(model) ?? []), quirk])
  const book = modelBook(options.env, { ...options, onQuirk })
  const uses = usesOfModels(options, book)
  const checks = new Map<string, Promise<CheckedModel>>()
  // One model of a provider at a time: a local server may have memory for one only.
  const lastOf = new Map<string, Promise<unknown>>()
  for (const [name, usedBy] of uses) {
    const provider = providerOf(name)
    const before = lastOf.get(provider) ?? Promise.resolve()
    const check = before.then(() =>
      checkOne(name, { ...options, book, usedBy, quirksOf: (model) => quirks.get(model) }),
    )
    checks.set(name, check)
    lastOf.set(provider, check)
  }
  return Promise.all(checks.values())
}

/** The names of all models, with what uses them. */
function usesOfModels({ settings, providers }: CheckOptions, book: ModelBook): Map<string, string[]> {
  const uses = new Map<string, string[]>()
  const add = (names: readonly string[], use: string) => {
    for (const name of names) if (!uses.get(name)?.includes(use)) uses.set(name, [...(uses.get(name) ?? []), use])
  }
  for (const role of roles) add(book.namesOf(settings[role]), role)
  for (const name of settings.allowed) add(book.namesOf(name), 'allowed')
  for (const { name, models } of providers.values()) {
    add(
      Object.keys(models).map((model) => `${name}/${model}`),
      'providers file',
    )
  }
  return uses
}

interface OneCheck extends CheckOptions {
  readonly book: ModelBook
  readonly usedBy: readonly string[]
  readonly quirksOf: (model: string) => readonly Quirk[] | undefined
}

async function checkOne(
  name: string,
  { book, usedBy, quirksOf, timeoutMs, providers }: OneCheck,
): Promise<CheckedModel> {
  const model = await book.openOne(name).catch((error: unknown) => {
    if (error instanceof SettingsError) return error
    throw error
  })
  const row = { model: name, usedBy, firstTokenMs: undefined, durationMs: undefined, problem: undefined }
  if (model instanceof SettingsError) {
    const problem = { reasonCode: 'settings', message: model.message, advice: 'Correct the setting, then try again.' }
    return { ...row, ...unanswered, works: false, problem }
  }
  if (model === sandbox)
    return { ...row, ...unanswered, works: true, remarks: ['It is simulated and needs no provider.'] }
  const { failure, remarks, ...check } = await checkModel(model, timeoutMs)
  return {
    ...row,
    ...check,
    works: failure === undefined,
    problem: failure && { ...failure, advice: adviceFor(failure, providers.get(providerOf(name))) },
    remarks: [...(quirksOf(name) ?? []).map(explainQuirk), ...remarks],
  }
}

const providerOf = (name: string): string => name.split('/')[0] ?? name
