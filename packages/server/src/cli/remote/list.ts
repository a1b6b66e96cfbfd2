// `runwright list`: the runs, newest first.
import type { ListedRun, RunList, RunListQuery, RunStatus } from '@runwright/client'
import { type Command, Option } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { jsonOption, type RemoteOptions, remoteCommand, wholeNumber, withService } from './remote-command.ts'
import { statusText } from './status-text.ts'

interface Options extends RemoteOptions {
  readonly status?: RunStatus
  readonly waiting?: true
  readonly workspace?: string
  readonly subject?: string
  readonly class?: 'default' | 'short' | 'long'
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly limit: number
  readonly cursor?: string
}

const statuses: readonly RunStatus[] = ['queued', 'running', 'stalled', 'succeeded', 'failed', 'cancelled']

export function listCommand(io: Io): Command {
  const command = remoteCommand('list', 'List runs, newest first.')
    .addOption(new Option('--status <status>', 'only runs in this status').choices(statuses))
    .option('--waiting', 'only runs that wait for input or approval')
    .option('--workspace <id>', 'only runs of this workspace')
    .option('--subject <id>', 'only runs of this subject')
    .addOption(new Option('--class <class>', 'only runs of this class').choices(['default', 'short', 'long']))
    .option('--created-after <time>', 'only runs created at or after this time (ISO 8601 with a time zone)')
    .option('--created-before <time>', 'only runs created before this time')
    .option('--limit <number>', 'how many runs, up to 200', wholeNumber, 20)
    .option('--cursor <cursor>', 'continue where the last list ended')
    .option(...jsonOption)
    .action((options: Options) =>
      withService(io, options, ({ client }) => list(io, client.runs.list(queryOf(options)), options)),
    )
  return withExamples(command, [
    ['runwright list --waiting', 'what needs an answer'],
    ['runwright list --status failed --created-after 2026-11-01T00:00:00Z', 'what has failed this month'],
    ["runwright list --json | jq -r '.runs[].id'", 'only the ids'],
  ])
}

const queryOf = (options: Options): RunListQuery => ({
  status: options.status,
  awaiting_input: options.waiting,
  workspace_id: options.workspace,
  subject_id: options.subject,
  run_class: options.class,
  created_after: options.createdAfter,
  created_before: options.createdBefore,
  limit: options.limit,
  cursor: options.cursor,
  include: ['awaiting_input', 'failure', 'usage'],
})

async function list(io: Io, page: Promise<RunList>, { json }: Options): Promise<void> {
  const { runs, next_cursor, ...rest } = await page
  if (json) return printJson(io, { runs, next_cursor, ...rest })
  printText(io, runs.length === 0 ? 'No runs.' : renderTable(columns, runs))
  if (next_cursor !== null) io.stderr.write(`More: add --cursor ${next_cursor}\n`)
}

const columns: readonly Column<ListedRun>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: statusText },
  { title: 'CREATED', cell: ({ metadata }) => metadata.created_at.replace(/\.\d+Z$/, 'Z') },
  { title: 'TOKENS', cell: ({ usage }) => usage?.tokens ?? null },
  { title: 'WORKSPACE', cell: ({ workspace_id }) => workspace_id },
  { title: 'SUBJECT', cell: ({ subject_id }) => subject_id },
  { title: 'NOTE', cell: (run) => run.failure?.reason_code ?? run.awaiting_input?.reason_code ?? null },
]
