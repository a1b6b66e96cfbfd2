// Chooses which of an MCP server's listed tools runs can use, and collects warnings about its configuration.
import { maxJsonDepth, showName } from '@runwright/contract'
import { isDeeper } from '../../domain/json/is-deeper.ts'
import { allowsTool, findUnknownNames, type McpServerConfig } from './config.ts'
import type { ListedTool } from './to-tool.ts'

interface ChosenTools {
  readonly tools: ReadonlyMap<string, ListedTool>
  /** Sentences for the operator. */
  readonly warnings: readonly string[]
}

/** Of the JSON of an input schema and of hints. Each prompt contains the schema. */
const maxSchemaLength = 65_536

export function chooseTools(config: McpServerConfig, listed: readonly ListedTool[]): ChosenTools {
  const names = new Set(listed.map(({ name }) => name))
  const invalid = [...names].filter((name) => !allowsTool({ ...config, allow: undefined, deny: new Set() }, name))
  const unknown = findUnknownNames(config, names)
  const tools = new Map<string, ListedTool>()
  const tooLarge: string[] = []
  for (const tool of listed) {
    if (!allowsTool(config, tool.name) || requiresTask(tool) || tools.has(tool.name)) continue
    if (isTooLarge(tool)) tooLarge.push(tool.name)
    else tools.set(tool.name, tool)
  }
  return {
    tools,
    warnings: [
      ...(invalid.length > 0 ? [`Tools with unsupported names are ignored: ${show(invalid)}.`] : []),
      ...(tooLarge.length > 0
        ? [`Tools whose input schema is too large or too deep are ignored: ${show(tooLarge)}.`]
        : []),
      ...(unknown.length > 0 ? [`The config names tools that the server does not have: ${show(unknown)}.`] : []),
    ],
  }
}

/** No schema of a server is compiled, but it is stored, compared and sent to models. */
const isTooLarge = ({ inputSchema, annotations }: ListedTool): boolean =>
  isDeeper(inputSchema, maxJsonDepth) || JSON.stringify([inputSchema, annotations]).length > maxSchemaLength

/** A tool that returns only a task to poll for its result, which is not supported. */
const requiresTask = ({ execution }: ListedTool): boolean => execution?.taskSupport === 'required'

const show = (names: readonly string[]): string => names.slice(0, 10).map(showName).join(', ')
