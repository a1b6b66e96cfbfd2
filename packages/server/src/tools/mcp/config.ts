// The configuration of one MCP server, and which of its tools runs may use.
import type { Exposure, PolicyRule, ToolEffect } from '../port/tool.ts'

/** A program that the service starts and talks to over standard input and output. */
export interface StdioEndpoint {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** As in the file; after `fillReferences`, the complete environment of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

/** A remote server, over streamable HTTP. */
export interface HttpEndpoint {
  readonly kind: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** By tool name; `*` is every tool that is not named. */
export type PerTool<Rule> = ReadonlyMap<string, Rule>

export interface McpServerConfig {
  readonly name: string
  readonly endpoint: StdioEndpoint | HttpEndpoint
  readonly timeoutSeconds: number
  /** Undefined: every tool. */
  readonly allow: ReadonlySet<string> | undefined
  /** Overrides `allow`. */
  readonly deny: ReadonlySet<string>
  readonly effects: PerTool<ToolEffect>
  /** The tools whose errors come before any effect. */
  readonly errors: PerTool<'before_effect'>
  readonly policies: PerTool<PolicyRule>
  /** What calls touch. A tool without an entry counts as touching everything. */
  readonly exposures: PerTool<Exposure>
  /** Values that the service gives to the server and no one else. Empty without the environment. */
  readonly secrets: readonly string[]
  /** Refuses a tool whose definition has changed since it was first seen, until the operator accepts the change. */
  readonly pin: boolean
}

const supportedToolName = /^[A-Za-z0-9_.-]{1,128}$/

export const ruleFor = <Rule>(rules: PerTool<Rule>, tool: string): Rule | undefined => rules.get(tool) ?? rules.get('*')

/** Whether runs may use a tool; `tool` is its name on the server. */
export const allowsTool = ({ allow, deny }: McpServerConfig, tool: string): boolean =>
  supportedToolName.test(tool) && !deny.has(tool) && (allow?.has(tool) ?? true)

/** Whether a tool may exist. Decided without the server, which may not be connected. */
export function mayExist(servers: readonly McpServerConfig[], name: string): boolean {
  const dot = name.indexOf('.')
  const server = servers.find((one) => one.name === name.slice(0, dot))
  return dot > 0 && server !== undefined && allowsTool(server, name.slice(dot + 1))
}

/** Tools that the configuration names but the server does not have: most likely typing errors. */
export function findUnknownNames(config: McpServerConfig, listed: ReadonlySet<string>): string[] {
  const { allow = [], deny, effects, errors, policies, exposures } = config
  const rules = [effects, errors, policies, exposures].flatMap((perTool) => [...perTool.keys()])
  const named = new Set([...allow, ...deny, ...rules])
  named.delete('*')
  return [...named].filter((name) => !listed.has(name))
}
