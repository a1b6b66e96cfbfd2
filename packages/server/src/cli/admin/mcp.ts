// `runwright mcp …`: shows which tools of MCP servers have changed, and accepts the changes.
import { Command } from 'commander'
import { acceptDefinitions, type ChangedTool, listChangedTools } from '../../store/installation/tool-definitions.ts'
import type { OpenStore } from '../database/open-store.ts'
import { printFromStore } from '../database/store-action.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { Refusal } from '../output/refusal.ts'
import { toJson } from '../output/to-json.ts'

interface Options {
  readonly json?: true
}

export function mcpCommand(open: OpenStore): Command {
  const command = new Command('mcp').description('show and accept changed tools of MCP servers')
  command
    .command('status')
    .description('show the tools whose definition differs from the accepted one')
    .option('--json', 'print JSON')
    .action((options: Options) =>
      printFromStore(open, async ({ database }) => show(await listChangedTools(database), options)),
    )
  command
    .command('accept')
    .description('accept the changed tools of a server, or one of them')
    .argument('<server>', 'the name of the server in the config')
    .argument('[tool]', 'the name of the tool on the server')
    .action((server: string, tool: string | undefined) =>
      printFromStore(open, async ({ database }) => {
        const accepted = await acceptDefinitions(database, server, tool)
        if (accepted.length === 0) throw new Refusal(`No changed tool of the MCP server "${server}" was found.`)
        return `Accepted: ${accepted.map((name) => `${server}.${name}`).join(', ')}.`
      }),
    )
  return command
}

const columns: readonly Column<ChangedTool>[] = [
  { title: 'SERVER', cell: ({ server }) => server },
  { title: 'TOOL', cell: ({ tool }) => tool },
  { title: 'CHANGED AT', cell: ({ changedAt }) => changedAt },
]

function show(changed: readonly ChangedTool[], { json }: Options): string {
  if (json)
    return toJson({ changed: changed.map(({ server, tool, changedAt }) => ({ server, tool, changed_at: changedAt })) })
  return changed.length === 0 ? 'No tool has changed.' : renderTable(columns, changed)
}
