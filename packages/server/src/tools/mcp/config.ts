// What the operator says of one MCP server, and which of its tools runs may use.
import type { PolicyRule, ToolEffect } from '../port/tool.ts'

/** A program that the service starts and speaks to over its standard input and output. */
export interface StdioReach {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** What the file names; once references are filled in, all that the program gets. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

/** A server elsewhere, spoken to over streamable HTTP. */
export interface HttpReach {
  readonly kind: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** By the name of a tool; `*` is every tool that is not named. */
export type PerTool<Rule> = ReadonlyMap<string, Rule>

export interface McpServerConfig {
  readonly name: string
  readonly reach: StdioReach | HttpReach
  readonly timeoutSeconds: number
  /** Undefined: every tool. */
  readonly allow: ReadonlySet<string> | undefined
  /** Stronger than `allow`. */
  readonly deny: ReadonlySet<string>
  readonly effects: PerTool<ToolEffect>
  readonly policies: PerTool<PolicyRule>
}

const fittingToolName = /^[A-Za-z0-9_.-]{1,128}$/

export const ruleFor = <Rule>(rules: PerTool<Rule>, tool: string): Rule | undefined => rules.get(tool) ?? rules.get('*')

/** Whether runs may use a tool, by the name that its server gives it. */
export const admitsTool = ({ allow, deny }: McpServerConfig, tool: string): boolean =>
  fittingToolName.test(tool) && !deny.has(tool) && (allow?.has(tool) ?? true)

/** Whether there may be such a tool: known without asking the server, which may be away. */
export function mayExist(servers: readonly McpServerConfig[], name: string): boolean {
  const dot = name.indexOf('.')
  const server = servers.find((one) => one.name === name.slice(0, dot))
  return dot > 0 && server !== undefined && admitsTool(server, name.slice(dot + 1))
}

/** Tools that the operator speaks of and the server does not have: most likely a slip of the keyboard. */
export function namesNobodyHas(config: McpServerConfig, listed: ReadonlySet<string>): string[] {
  const { allow = [], deny, effects, policies } = config
  const spoken = new Set([...allow, ...deny, ...effects.keys(), ...policies.keys()])
  spoken.delete('*')
  return [...spoken].filter((name) => !listed.has(name))
}
