// All agents of a folder at one time. A set never changes: a run keeps the one it began with, found by its hash.
import { createHash } from 'node:crypto'
import type { JudgeMode } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import type { ModelParameters } from '../../models/port/model.ts'
import type { AgentDefinition } from './definition.ts'

export interface Agent {
  readonly name: string
  /** Of the whole definition, in hex. */
  readonly hash: string
  readonly description: string
  readonly instructions: string
  /** Undefined: the model of the role. A comma-separated list otherwise. */
  readonly model: string | undefined
  /** Undefined: all tools that the policy allows. */
  readonly tools: readonly string[] | undefined
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  readonly maxTurns: number | undefined
  /** Undefined: those of the model. */
  readonly parameters: ModelParameters | undefined
  readonly judge: JudgeMode
}

export class AgentSet {
  readonly hash: string
  /** Ordered by name. */
  readonly agents: readonly Agent[]
  readonly definitions: readonly AgentDefinition[]
  readonly #byName: ReadonlyMap<string, Agent>

  constructor(definitions: readonly AgentDefinition[]) {
    this.definitions = definitions.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    this.hash = hashOf(this.definitions)
    this.agents = this.definitions.map(toAgent)
    this.#byName = new Map(this.agents.map((agent) => [agent.name, agent]))
  }

  find(name: string): Agent | undefined {
    return this.#byName.get(name)
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()]
  }
}

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex')

function toAgent(definition: AgentDefinition): Agent {
  const { name, description, instructions, model, tools, temperature, reasoning_effort: reasoningEffort } = definition
  const parameters = {
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
  }
  return {
    name,
    hash: hashOf(definition),
    description,
    instructions,
    model,
    tools,
    outputSchema: definition.output_schema,
    maxTurns: definition.max_turns,
    parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
    judge: definition.judge ?? 'each_step',
  }
}

/** Its `current` agents change when the operator reloads them. */
export interface CurrentAgents {
  readonly current: AgentSet | undefined
}
