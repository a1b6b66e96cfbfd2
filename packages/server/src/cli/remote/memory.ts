// `runwright memory [item id]`: what runs have remembered.
import type { MemoryItem, MemoryListQuery } from '@runwright/client'
import { memoryStatuses } from '@runwright/contract'
import { type Command, Option } from 'commander'
import type { Connection } from '../connection/connect.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { safeLine, safeText, shortLine } from '../output/safe-text.ts'
import { jsonOption, type RemoteOptions, remoteCommand, wholeNumber, withService } from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly workspace?: string
  readonly subject?: string
  readonly status?: MemoryListQuery['status']
  readonly harness?: true
  readonly limit: number
  readonly offset: number
}

export function memoryCommand(io: Io): Command {
  const command = remoteCommand('memory', 'List what runs have remembered, newest first, or show one item.')
    .argument('[item id]', 'the item to show')
    .option('--workspace <id>', 'only items of this workspace')
    .option('--subject <id>', 'only items of this subject')
    .addOption(new Option('--status <status>', 'only items in this status').choices(memoryStatuses))
    .option('--harness', 'also what the service itself has saved about runs')
    .option('--limit <number>', 'how many items, up to 200', wholeNumber, 50)
    .option('--offset <number>', 'how many items to skip', wholeNumber, 0)
    .option(...jsonOption)
    .action((id: string | undefined, options: Options) =>
      withService(io, options, (connection) =>
        id === undefined ? list(io, connection, options) : show(io, connection, { ...options, id }),
      ),
    )
  return withExamples(command, [
    ['runwright memory --workspace acme', 'what is remembered for a workspace'],
    ['runwright memory mem_01m7f8njhrfe3b4wzz6kye37bb', 'one item in full'],
  ])
}

async function list(io: Io, { client }: Connection, options: Options): Promise<void> {
  const { items, ...page } = await client.memory.list({
    workspace_id: options.workspace,
    subject_id: options.subject,
    status: options.status,
    include_harness: options.harness,
    limit: options.limit,
    offset: options.offset,
  })
  if (options.json) return printJson(io, { items, ...page })
  printText(io, items.length === 0 ? 'Nothing is remembered.' : renderTable(columns, items))
  if (items.length === page.limit) io.stderr.write(`More: add --offset ${page.offset + items.length}\n`)
}

async function show(io: Io, { client }: Connection, { id, json }: Options & { readonly id: string }): Promise<void> {
  const item = await client.memory.get(id)
  if (json) return printJson(io, item)
  const { kind, status, workspace_id, subject_id, run_id, created_at } = item
  const facts = { kind, status, workspace: workspace_id, subject: subject_id, run: run_id, created: created_at }
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(10)} ${safeLine(value)}`],
  )
  printText(io, [safeLine(item.title), ...lines, '', safeText(item.content)].join('\n'))
}

const columns: readonly Column<MemoryItem>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'WORKSPACE', cell: ({ workspace_id }) => workspace_id },
  { title: 'SUBJECT', cell: ({ subject_id }) => subject_id },
  { title: 'TITLE', cell: ({ title }) => shortLine(title, 60) },
]
