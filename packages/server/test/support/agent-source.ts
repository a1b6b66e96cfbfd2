// Agents for tests of the engine's parts: sets in memory, the first one current.
import { AgentSet } from '../../src/agents/definitions/agent-set.ts'
import type { AgentDefinition } from '../../src/agents/definitions/definition.ts'
import type { AgentSource } from '../../src/engine/context/run-agents.ts'

export const definition = (name: string, part: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name,
  description: `Is ${name}.`,
  instructions: `Be ${name}.`,
  ...part,
})

export const agentSet = (...definitions: readonly AgentDefinition[]): AgentSet => new AgentSet(definitions)

/** The first set is current; the others are found by their hash only. */
export const agentSource = (current: AgentSet | undefined, ...stored: readonly AgentSet[]): AgentSource => ({
  current,
  find: async (hash) => [...(current ? [current] : []), ...stored].find((set) => set.hash === hash),
})
