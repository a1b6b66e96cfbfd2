// Checks what `metadata` chooses for a run: its agent and its model. Without agents or a list of allowed models in the
// service, these fields are plain metadata, which may be anything.
import { type KnownAgents, listAgents } from '../plan/known-agents.ts'
import { ServiceError } from '../service-error.ts'
import { showName } from '../text.ts'

export interface Choices {
  /** Its `current` agents change when the operator reloads them. Undefined: no agents are configured. */
  readonly agents?: { readonly current: KnownAgents | undefined } | undefined
  /** Empty or undefined: a run cannot choose its model. */
  readonly allowedModels?: readonly string[] | undefined
}

export function checkChoices(metadata: Readonly<Record<string, unknown>>, { agents, allowedModels }: Choices): void {
  const known = agents?.current
  if (known && Object.hasOwn(metadata, 'agent')) checkAgent(metadata.agent, known)
  if (allowedModels?.length && Object.hasOwn(metadata, 'model')) checkModel(metadata.model, allowedModels)
}

function checkAgent(name: unknown, known: KnownAgents): void {
  if (typeof name === 'string' && known.has(name)) return
  const problem =
    typeof name === 'string' ? `names an unknown agent: ${showName(name)}` : 'must be the name of an agent'
  throw new ServiceError('INPUT_PAYLOAD_INVALID', `metadata.agent ${problem}; ${listAgents(known)}.`)
}

function checkModel(model: unknown, allowed: readonly string[]): void {
  if (typeof model === 'string' && allowed.includes(model)) return
  const problem =
    typeof model === 'string' ? `names a model that is not allowed: ${showName(model)}` : 'must be a model'
  const list = allowed.map(showName).join(', ')
  throw new ServiceError('INPUT_PAYLOAD_INVALID', `metadata.model ${problem}; the allowed models are ${list}.`)
}
