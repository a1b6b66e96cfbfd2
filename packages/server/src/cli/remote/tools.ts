// `runwright tools`: the tools that runs can call.
import type { Tool } from '@runwright/client'
import type { Command } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { shortLine } from '../output/safe-text.ts'
import { jsonOption, type RemoteOptions, remoteCommand, withService } from './remote-command.ts'

export function toolsCommand(io: Io): Command {
  const command = remoteCommand('tools', 'List the tools that runs can call, and what policy says about each.')
    .option(...jsonOption)
    .action(({ json, url }: RemoteOptions) =>
      withService(io, { url }, async ({ client }) => {
        const page = await client.tools.list()
        if (json) return printJson(io, page)
        printText(io, page.tools.length === 0 ? 'This service has no tools.' : renderTable(columns, page.tools))
      }),
    )
  return withExamples(command, [
    ['runwright tools', 'what steps of a plan and agents can use'],
    [`runwright tools --json | jq -r '.tools[] | select(.policy.rule == "ask") | .name'`, 'tools that need approval'],
  ])
}

const sourceOf = ({ source, file, server }: Tool): string => {
  const name = file ?? server
  return name === null ? source : `${source} (${shortLine(name, 40)})`
}

const columns: readonly Column<Tool>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'SOURCE', cell: sourceOf },
  { title: 'EFFECT', cell: ({ effect }) => effect ?? 'varies' },
  { title: 'POLICY', cell: ({ policy }) => policy.rule },
  { title: 'DESCRIPTION', cell: ({ description }) => shortLine(description, 80) },
]
