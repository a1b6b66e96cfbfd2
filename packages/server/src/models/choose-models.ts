// From the names in the settings to the models of the three roles.
import type { Role } from '@runwright/contract'
import { SettingsError } from '../runtime/settings/settings-error.ts'
import type { Model } from './port/model.ts'
import { openAiCompatibleModel } from './provider/openai-compatible.ts'
import { readProviderServer } from './provider/server.ts'
import { sandbox } from './sandbox/sandbox.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Throws a SettingsError when a name or the provider's own settings are wrong. Roles with one name share one model. */
export async function chooseModels(
  names: Readonly<Record<Role, string>>,
  env: Environment,
): Promise<Record<Role, Model>> {
  const opened = new Map<string, Promise<Model>>()
  const open = (name: string): Promise<Model> => {
    const model = opened.get(name) ?? openModel(name, env)
    opened.set(name, model)
    return model
  }
  const [planner, worker, judge] = await Promise.all([open(names.planner), open(names.worker), open(names.judge)])
  return { planner, worker, judge }
}

async function openModel(name: string, env: Environment): Promise<Model> {
  if (name === sandbox.name) return sandbox
  const model = /^openai-compatible\/(\S+)$/.exec(name)?.[1]
  if (model !== undefined) return openAiCompatibleModel({ name, model, server: readProviderServer(env) })
  throw new SettingsError(
    `There is no model ${JSON.stringify(name)}: RUNWRIGHT_MODEL and its like take sandbox or openai-compatible/<model>.`,
  )
}
