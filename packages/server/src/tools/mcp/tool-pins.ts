// Notices when an MCP server changes a tool after it was first seen: a server that was harmless when the operator chose
// it can later describe its tools with instructions for the model.
import { hash } from 'node:crypto'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import { listDefinitions, recordDefinitions } from '../../store/installation/tool-definitions.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { McpServerConfig } from './config.ts'
import type { ListedTool } from './to-tool.ts'

type PinnedServer = Pick<McpServerConfig, 'name' | 'pin'>

export interface ToolPins {
  /**
   * Records the listed tools. Resolves with the names of those that differ from their accepted definition. On a pinned
   * server, a tool that was not in the first list differs, too: its description is as new as a changed one.
   */
  findChanged(server: PinnedServer, listed: readonly ListedTool[]): Promise<readonly string[]>
  /** What the server listed last, to any worker, and the names of changed tools among them. */
  lastListed(server: PinnedServer): Promise<LastList>
}

interface LastList {
  readonly tools: readonly ListedTool[]
  readonly changed: readonly string[]
}

/** In the database, so that a restart does not forget them and all hosts agree. */
export const storedPins = (database: Database): ToolPins => ({
  findChanged: ({ name, pin }, listed) =>
    recordDefinitions(database, {
      server: name,
      tools: listed.map((tool) => ({ tool: tool.name, hash: hashDefinition(tool), definition: definitionOf(tool) })),
      refusesNew: pin,
    }),
  lastListed: async ({ name }) => {
    const stored = await listDefinitions(database, [name])
    return {
      tools: stored.map(({ definition }) => definition as ListedTool),
      changed: stored.filter(({ hasChanged }) => hasChanged).map(({ tool }) => tool),
    }
  },
})

/** Everything that a model reads, and the hints that decide the effect. */
const definitionOf = ({ name, title, description, inputSchema, annotations }: ListedTool): ListedTool => ({
  name,
  title,
  description,
  inputSchema,
  annotations,
})

const hashDefinition = ({ title, description, inputSchema, annotations }: ListedTool): string =>
  hash('sha256', canonicalJson([title ?? null, description ?? null, inputSchema, annotations ?? null]))
