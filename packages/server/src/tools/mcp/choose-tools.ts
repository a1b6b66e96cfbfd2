// Which of the tools that an MCP server lists become tools of ours, and what is odd about the others.
import { showName } from '../../domain/text.ts'
import { admitsTool, type McpServerConfig, namesNobodyHas } from './config.ts'
import type { ListedTool } from './to-tool.ts'

export interface ChosenTools {
  readonly tools: ReadonlyMap<string, ListedTool>
  /** In sentences, for the operator. */
  readonly oddities: readonly string[]
}

export function chooseTools(config: McpServerConfig, listed: readonly ListedTool[]): ChosenTools {
  const names = new Set(listed.map(({ name }) => name))
  const unfit = [...names].filter((name) => !admitsTool({ ...config, allow: undefined, deny: new Set() }, name))
  const missing = namesNobodyHas(config, names)
  const tools = new Map<string, ListedTool>()
  for (const tool of listed) {
    if (admitsTool(config, tool.name) && !isTask(tool) && !tools.has(tool.name)) tools.set(tool.name, tool)
  }
  return {
    tools,
    oddities: [
      ...(unfit.length > 0 ? [`Tools are left out for their names: ${show(unfit)}.`] : []),
      ...(missing.length > 0 ? [`The config names tools that the server does not have: ${show(missing)}.`] : []),
    ],
  }
}

/** A tool that answers with a task to be asked about later, and with nothing else. */
const isTask = ({ execution }: ListedTool): boolean => execution?.taskSupport === 'required'

const show = (names: readonly string[]): string => names.slice(0, 10).map(showName).join(', ')
