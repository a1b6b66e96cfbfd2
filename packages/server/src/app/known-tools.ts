// The tools that plans and agents may name. Every process knows them, also one that calls none.
import { builtInTools as documentedTools } from '@runwright/contract'
import type { KnownTools } from '../domain/plan/plan.ts'
import { type McpServerConfig, mayExist } from '../tools/mcp/config.ts'
import type { Tool } from '../tools/port/tool.ts'

interface ToolSources {
  /** The operator's own tools. */
  readonly ownTools?: readonly Pick<Tool, 'name'>[]
  readonly mcpServers?: readonly McpServerConfig[]
}

export function knownTools({ ownTools = [], mcpServers = [] }: ToolSources): KnownTools {
  const listed = new Set<string>([...documentedTools, ...ownTools.map(({ name }) => name)])
  return { has: (name) => listed.has(name) || mayExist(mcpServers, name) }
}
