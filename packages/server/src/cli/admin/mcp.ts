// `runwright mcp …`: shows which MCP servers are away and which of their tools have changed, and accepts the changes.
import { Command } from 'commander'
import { acceptDefinitions, type ChangedTool, listChangedTools } from '../../store/installation/tool-definitions.ts'
import { listMcpServers } from '../../store/runs/workers.ts'
import type { OpenStore } from '../database/open-store.ts'
import { printFromStore } from '../database/store-action.ts'
import { describeAway } from '../output/describe-away.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { Refusal } from '../output/refusal.ts'
import { toJson } from '../output/to-json.ts'

interface Options {
  readonly json?: true
}

export function mcpCommand(open: OpenStore): Command {
  const command = new Command('mcp').description('show the state of MCP servers, and accept changed tools')
  command
    .command('status')
    .description('show servers that are not connected, and tools whose definition differs from the accepted one')
    .option('--json', 'print JSON')
    .action((options: Options) =>
      printFromStore(open, async ({ database }) =>
        show({ changed: await listChangedTools(database), servers: await listMcpServers(database) }, options),
      ),
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

interface State {
  readonly changed: readonly ChangedTool[]
  readonly servers: Awaited<ReturnType<typeof listMcpServers>>
}

function show({ changed, servers }: State, { json }: Options): string {
  const away = servers.filter(({ isConnected }) => !isConnected)
  if (json)
    return toJson({
      changed: changed.map(({ server, tool, changedAt }) => ({ server, tool, changed_at: changedAt })),
      away: away.map(({ name, workerId, problem }) => ({ server: name, worker_id: workerId, ...problem })),
    })
  const changes = changed.length === 0 ? 'No tool has changed.' : renderTable(columns, changed)
  return [...describeAway(away), changes].join('\n')
}
