// Checks what `metadata` chooses for a run: its agent and its model. A name that does not exist is refused, also where
// the service has no agents and allows no models: without it, the run would do its work in another way than was asked.
import { showName } from '@runwright/contract'
import { type KnownAgents, listAgents, listNames } from '../plan/known-agents.ts'
import { ServiceError } from '../service-error.ts'

export interface Choices {
  /** Its `current` agents change when the operator reloads them. Undefined: no agents are configured. */
  readonly agents?: { readonly current: KnownAgents | undefined } | undefined
  /** Empty or undefined: a run cannot choose its model. */
  readonly allowedModels?: readonly string[] | undefined
}

type Metadata = Readonly<Record<string, unknown>>

export function checkChoices(metadata: Metadata, choices: Choices): void {
  checkAgentChoice(metadata, choices)
  checkModelChoice(metadata, choices)
}

export function checkAgentChoice(metadata: Metadata, { agents }: Choices): void {
  if (!Object.hasOwn(metadata, 'agent')) return
  const { agent: name } = metadata
  const known = agents?.current
  if (typeof name === 'string' && known?.has(name)) return
  const problem =
    typeof name === 'string' ? `names an unknown agent: ${showName(name)}` : 'must be the name of an agent'
  throw new ServiceError('INPUT_PAYLOAD_INVALID', `metadata.agent ${problem}; ${listAgents(known)}.`)
}

export function checkModelChoice(metadata: Metadata, { allowedModels = [] }: Choices): void {
  if (!Object.hasOwn(metadata, 'model')) return
  const { model } = metadata
  if (typeof model === 'string' && allowedModels.includes(model)) return
  const problem =
    typeof model === 'string' ? `names a model that is not allowed: ${showName(model)}` : 'must be a model'
  throw new ServiceError('INPUT_PAYLOAD_INVALID', `metadata.model ${problem}; ${listModels(allowedModels)}.`)
}

const listModels = (allowed: readonly string[]): string =>
  allowed.length === 0 ? 'no models are allowed' : `the allowed models are ${listNames(allowed)}`
