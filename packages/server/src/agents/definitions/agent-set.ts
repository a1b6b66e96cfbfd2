// All agents and skills of the operator at one time. A set never changes: a run keeps the one it began with, found by
// its hash.
import { createHash } from 'node:crypto'
import type { AgentRubric, JudgeMode } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import type { ModelParameters } from '../../models/port/model.ts'
import type { AgentDefinition } from './definition.ts'
import type { SkillDefinition } from './skill.ts'

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
  /** Undefined: all skills. */
  readonly skills: readonly string[] | undefined
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  readonly maxTurns: number | undefined
  /** Undefined: those of the model. */
  readonly parameters: ModelParameters | undefined
  /** Undefined: after each step, or not at all where a rubric decides. */
  readonly judge: JudgeMode | undefined
  readonly rubric: AgentRubric | undefined
}

export interface Skill extends SkillDefinition {
  /** Of the whole skill with its files, in hex. */
  readonly hash: string
}

/** What is stored of a set. A set without skills is a list of agents only. */
type StoredDefinition = AgentDefinition | { readonly skill: SkillDefinition }

export class AgentSet {
  readonly hash: string
  /** Ordered by name. */
  readonly agents: readonly Agent[]
  /** Ordered by name. */
  readonly skills: readonly Skill[]
  readonly definitions: readonly StoredDefinition[]
  readonly #byName: ReadonlyMap<string, Agent>

  constructor(agents: readonly AgentDefinition[], skills: readonly SkillDefinition[] = []) {
    const [sortedAgents, sortedSkills] = [agents.toSorted(byName), skills.toSorted(byName)]
    this.definitions = [...sortedAgents, ...sortedSkills.map((skill) => ({ skill }))]
    this.hash = hashOf(this.definitions)
    this.agents = sortedAgents.map(toAgent)
    this.skills = sortedSkills.map((skill) => ({ ...skill, hash: hashOf(skill) }))
    this.#byName = new Map(this.agents.map((agent) => [agent.name, agent]))
  }

  static ofStored(definitions: readonly StoredDefinition[]): AgentSet {
    const skills = definitions.flatMap((stored) => ('skill' in stored ? [stored.skill] : []))
    return new AgentSet(definitions.filter((stored) => !('skill' in stored)) as AgentDefinition[], skills)
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

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1

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
    skills: definition.skills,
    outputSchema: definition.output_schema,
    maxTurns: definition.max_turns,
    parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
    judge: definition.judge,
    rubric: definition.rubric,
  }
}

/** Its `current` agents change when the operator reloads them. */
export interface CurrentAgents {
  readonly current: AgentSet | undefined
}
