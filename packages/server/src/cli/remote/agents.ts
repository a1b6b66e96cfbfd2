// `runwright agents`: the agents that a run can use.
import type { Agent, AgentList } from '@runwright/client'
import type { Command } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { shortLine } from '../output/safe-text.ts'
import { jsonOption, type RemoteOptions, remoteCommand, withService } from './remote-command.ts'

export function agentsCommand(io: Io): Command {
  const command = remoteCommand('agents', 'List the agents that a run can use.')
    .option(...jsonOption)
    .action(({ json, url }: RemoteOptions) =>
      withService(io, { url }, async ({ client }) => {
        const page = await client.agents.list()
        if (json) return printJson(io, page)
        const none = 'This service has no agents. docs/agents.md says how to define one.'
        printText(io, page.agents.length === 0 ? none : renderTable(columns, page.agents))
        if (page.skills.length > 0) printText(io, `\n${renderTable(skillColumns, page.skills)}`)
      }),
    )
  return withExamples(command, [
    ['runwright agents', 'what --agent of runwright run can name'],
    ["runwright agents --json | jq '.agents[].name'", 'only the names'],
  ])
}

const columns: readonly Column<Agent>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'MODEL', cell: ({ model }) => model },
  { title: 'TOOLS', cell: ({ tools }) => (tools === null ? 'all' : shortLine(tools.join(', ') || 'none', 40)) },
  { title: 'DESCRIPTION', cell: ({ description }) => shortLine(description, 80) },
]

const skillColumns: readonly Column<AgentList['skills'][number]>[] = [
  { title: 'SKILL', cell: ({ name }) => name },
  { title: 'FILES', cell: ({ files }) => String(files.length) },
  { title: 'DESCRIPTION', cell: ({ description }) => shortLine(description, 80) },
]
