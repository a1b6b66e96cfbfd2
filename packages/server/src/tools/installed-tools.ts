// The tools that runs of a customer can call, and what policy says about each. Works in every process, also in one that
// calls no tools: what MCP servers list is read from the database, where the processes that connect to them put it.
import { listDefinitions, type StoredTool } from '../store/installation/tool-definitions.ts'
import type { Database } from '../store/postgres/database.ts'
import { builtInTools } from './built-in/built-in-tools.ts'
import { memorySaveDescription } from './built-in/memory-save.ts'
import { memorySearchDescription } from './built-in/memory-search.ts'
import { allowsTool, type McpServerConfig } from './mcp/config.ts'
import { describeListed, type ListedTool } from './mcp/to-tool.ts'
import type { OwnTool } from './own/definition.ts'
import { describeRule } from './policy/describe-rule.ts'
import { exposureOf, type PolicyRules, ruleFor } from './policy/policy.ts'
import { describeTool, type ToolOffer } from './port/catalogue.ts'
import type { Exposure, PolicyRule, Tool, ToolDescription, ToolEffect } from './port/tool.ts'

type Source =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'own'; readonly file: string | undefined }
  | { readonly kind: 'mcp'; readonly server: string }

export interface InstalledTool extends ToolOffer {
  readonly source: Source
  /** Undefined: it depends on the arguments. */
  readonly effect: ToolEffect | undefined
  /** Undefined: it depends on the arguments. */
  readonly exposure: Exposure | undefined
  readonly policy: { readonly rule: PolicyRule; readonly description: string }
}

export interface InstalledToolsOptions {
  readonly database: Database
  readonly policy: PolicyRules
  readonly ownTools: readonly OwnTool[]
  readonly mcpServers: readonly McpServerConfig[]
  /** Default: the built-in tools. */
  readonly tools?: readonly Tool[] | undefined
}

interface Found {
  readonly tool: ToolDescription
  readonly source: Source
  /** The definition has changed, and the operator has pinned the server. */
  readonly isRefused?: boolean
}

export class InstalledTools {
  readonly #options: InstalledToolsOptions
  /** The tools that stay the same while the process runs. */
  readonly #fixed: readonly Found[]

  constructor(options: InstalledToolsOptions) {
    const { tools = builtInTools(), ownTools } = options
    this.#options = options
    this.#fixed = [
      ...[...tools, memorySaveDescription, memorySearchDescription].map((tool) => ({
        tool: tool as ToolDescription,
        source: { kind: 'built-in' } as const,
      })),
      ...ownTools.map((tool) => ({ tool, source: { kind: 'own', file: tool.file } as const })),
    ]
  }

  /** Built-in tools first, then the operator's own, then those of MCP servers. */
  async list(customerId: string): Promise<InstalledTool[]> {
    return [...this.#fixed, ...(await this.#ofServers())].map((found) => this.#describe(found, customerId))
  }

  async #ofServers(): Promise<Found[]> {
    const { database, mcpServers } = this.#options
    if (mcpServers.length === 0) return []
    const stored = await listDefinitions(
      database,
      mcpServers.map(({ name }) => name),
    )
    return mcpServers.flatMap((config) => stored.flatMap((tool) => findTool(tool, config)))
  }

  #describe({ tool, source, isRefused = false }: Found, customerId: string): InstalledTool {
    const { dependsOnInput = [] } = tool
    const effect = dependsOnInput.includes('effect') ? undefined : effectOf(tool)
    const exposure = dependsOnInput.includes('exposure') ? undefined : exposureOf(tool, {})
    const rule = ruleFor(this.#options.policy, tool, { customerId, metadata: {} })
    const policy = isRefused ? refused : { rule, description: describeRule(rule, exposure) }
    return { ...describeTool(tool), source, effect, exposure, policy }
  }
}

/** The stored list may be of a time when the configuration allowed other tools. */
function findTool({ server, tool, definition, hasChanged }: StoredTool, config: McpServerConfig): Found[] {
  if (server !== config.name || !allowsTool(config, tool)) return []
  return [
    {
      tool: describeListed(definition as ListedTool, config) as ToolDescription,
      source: { kind: 'mcp', server },
      isRefused: config.pin && hasChanged,
    },
  ]
}

function effectOf(tool: ToolDescription): ToolEffect {
  try {
    return tool.effectOf({})
  } catch {
    return 'once'
  }
}

const refused = {
  rule: 'deny',
  description:
    'Calls are refused: the MCP server has changed the tool, and an operator has not accepted the change yet.',
} as const
