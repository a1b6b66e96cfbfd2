// `runwright list`: the runs, newest first.
import type { ListedRun, RunList, RunListQuery, RunStatus } from '@runwright/client'
import { type RunClass, runClasses, runStatuses } from '@runwright/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { shortLine } from '../output/safe-text.ts'
import { jsonOption, type RemoteOptions, remoteCommand, wholeNumber, withService } from './remote-command.ts'
import { statusText } from './status-text.ts'

interface Options extends RemoteOptions {
  readonly status?: readonly RunStatus[]
  readonly awaitingInput?: true
  readonly workspace?: string
  readonly subject?: string
  readonly agent?: string
  readonly error?: string
  readonly schedule?: string
  readonly q?: string
  readonly class?: RunClass
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly limit: number
  readonly cursor?: string
}

export function listCommand(io: Io): Command {
  const command = remoteCommand('list', 'List runs, newest first.')
    .addOption(statusOption())
    .option('--awaiting-input', 'only runs that await input or approval')
    .option('--workspace <id>', 'only runs of this workspace')
    .option('--subject <id>', 'only runs of this subject')
    .option('--agent <name>', 'only runs of this agent')
    .option('--error <reason code>', 'only failed runs with this reason code')
    .option('--schedule <id>', 'only runs that this schedule has created')
    .option('--q <text>', 'only runs with these words in the title, or with this id or its first 8 or more characters')
    .addOption(new Option('--class <class>', 'only runs of this class').choices(runClasses))
    .option('--created-after <time>', 'only runs created at or after this time (ISO 8601 with a time zone)')
    .option('--created-before <time>', 'only runs created before this time')
    .option('--limit <number>', 'how many runs, up to 200', wholeNumber, 20)
    .option('--cursor <cursor>', 'continue where the last list ended')
    .option(...jsonOption)
    .action((options: Options) =>
      withService(io, options, ({ client }) => list(io, client.runs.list(queryOf(options)), options)),
    )
  return withExamples(command, [
    ['runwright list --awaiting-input', 'what awaits an answer'],
    ['runwright list --status failed,stalled --created-after 2026-11-01T00:00:00Z', 'what went wrong this month'],
    ['runwright list --error provider_error --agent clerk', 'failures of one kind, of one agent'],
    ['runwright list --q "quarterly report"', 'runs by words of their title'],
    ["runwright list --json | jq -r '.runs[].id'", 'only the ids'],
  ])
}

/** The choices are for help and completion; the parser accepts several of them. */
const statusOption = () =>
  new Option('--status <statuses>', 'only runs in these statuses, separated by commas')
    .choices(runStatuses)
    .argParser(statusList)

function statusList(text: string): readonly RunStatus[] {
  return text.split(',').map((word) => {
    const status = runStatuses.find((one) => one === word.trim())
    if (status === undefined)
      throw new InvalidArgumentError(`Allowed are ${runStatuses.join(', ')}, separated by commas.`)
    return status
  })
}

const queryOf = (options: Options): RunListQuery => ({
  status: options.status,
  awaiting_input: options.awaitingInput,
  workspace_id: options.workspace,
  subject_id: options.subject,
  agent: options.agent,
  error: options.error,
  schedule_id: options.schedule,
  q: options.q,
  run_class: options.class,
  created_after: options.createdAfter,
  created_before: options.createdBefore,
  limit: options.limit,
  cursor: options.cursor,
  include: ['title', 'awaiting_input', 'failure', 'usage'],
})

async function list(io: Io, page: Promise<RunList>, { json }: Options): Promise<void> {
  const { runs, next_cursor, ...rest } = await page
  if (json) return printJson(io, { runs, next_cursor, ...rest })
  // A search looks at a part of the runs at a time.
  const none = next_cursor === null ? 'No runs.' : 'No runs among those looked at so far.'
  printText(io, runs.length === 0 ? none : renderTable(columns, runs))
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
  { title: 'TITLE', cell: ({ title }) => (title ? shortLine(title, 60) : null) },
]
