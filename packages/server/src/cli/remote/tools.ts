// `runwright tools`: the tools that agents can use.
import { RunwrightError } from '@runwright/client'
import type { Command } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { shortLine } from '../output/safe-text.ts'
import type { Connection } from '../service/connect.ts'
import { jsonOption, type RemoteOptions, remoteCommand, withService } from './remote-command.ts'

interface Tool {
  readonly name: string
  readonly description: string
  readonly source: string
  readonly server: string | null
  readonly policy: string | null
}

interface ToolList {
  readonly tools: readonly Tool[]
}

const timeoutMs = 30_000

export function toolsCommand(io: Io): Command {
  const command = remoteCommand('tools', 'List the tools that agents can use, and what the policy says about each.')
    .option(...jsonOption)
    .action(({ json, url }: RemoteOptions) =>
      withService(io, { url }, async (connection) => {
        const page = await readTools(connection)
        if (json) return printJson(io, page)
        printText(io, page.tools.length === 0 ? 'Agents have no tools.' : renderTable(columns, page.tools))
      }),
    )
  return withExamples(command, [
    ['runwright tools', 'what steps of a plan and agents can use'],
    [`runwright tools --json | jq -r '.tools[] | select(.policy == "ask") | .name'`, 'tools that ask first'],
  ])
}

/** The client has no method for this route. */
async function readTools({ url, apiKey }: Connection): Promise<ToolList> {
  const response = await fetch(`${url}/v1/tools`, {
    headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new RunwrightError('No response from the service', { cause })
  })
  const body = (await response.json().catch(() => ({}))) as ToolList & Readonly<Record<string, string | undefined>>
  if (response.ok) return body
  throw new RunwrightError(body.message ?? `The service returned HTTP status ${response.status}`, {
    status: response.status,
    reasonCode: body.reason_code,
    requestId: body.request_id,
  })
}

const columns: readonly Column<Tool>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'SOURCE', cell: ({ source, server }) => (server === null ? source : `${source} (${server})`) },
  { title: 'POLICY', cell: ({ policy }) => policy },
  { title: 'DESCRIPTION', cell: ({ description }) => shortLine(description, 80) },
]
