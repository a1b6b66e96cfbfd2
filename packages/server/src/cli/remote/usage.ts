// `runwright usage`: what was used, as a table and a chart of tokens.
import type { UsageQuery, UsageReport, UsageRow } from '@runwright/client'
import { type Granularity, granularities, usageEventTypes } from '@runwright/contract'
import { type Command, Option } from 'commander'
import { eitherOf, withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { type Bar, renderBars } from '../output/render-bars.ts'
import { jsonOption, type RemoteOptions, remoteCommand, withService } from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly start?: string
  readonly end?: string
  readonly granularity?: Granularity
  readonly workspace?: string
  readonly subject?: string
  readonly eventType?: string
  readonly groupBy?: ('workspace_id' | 'subject_id')[]
}

const groups = { workspace: 'workspace_id', subject: 'subject_id' } as const

export function usageCommand(io: Io): Command {
  const command = remoteCommand('usage', 'Show what was used: runs, steps, tool calls and tokens per period.')
    .option('--start <time>', 'from this time on, ISO 8601 with a time zone (default: the start of the month)')
    .option('--end <time>', 'up to this time (default: now)')
    .addOption(new Option('--granularity <period>', 'the length of a period').choices(granularities))
    .option('--workspace <id>', 'only this workspace')
    .option('--subject <id>', 'only this subject')
    .option('--event-type <type>', `only ${eitherOf(usageEventTypes)}`)
    .addOption(new Option('--group-by <label>', 'one row for each').choices(Object.keys(groups)).argParser(groupBy))
    .option(...jsonOption)
    .action((options: Options) =>
      withService(io, options, async ({ client }) => {
        const report = await client.usage.get(queryOf(options))
        if (options.json) printJson(io, report)
        else printText(io, render(report, options))
      }),
    )
  return withExamples(command, [
    ['runwright usage', 'this month, by day'],
    ['runwright usage --granularity month --start 2026-01-01T00:00:00Z', 'this year, by month'],
    ['runwright usage --group-by workspace --event-type tokens.consumed', 'tokens of each workspace'],
  ])
}

const groupBy = (label: string): string[] => [groups[label as keyof typeof groups]]

const queryOf = (options: Options): UsageQuery => ({
  start: options.start,
  end: options.end,
  granularity: options.granularity,
  workspace_id: options.workspace,
  subject_id: options.subject,
  event_type: options.eventType,
  group_by: options.groupBy,
})

function render({ usage, period }: UsageReport, { groupBy: grouped = [] }: Options): string {
  const range = `${period.start} to ${period.end}`
  if (usage.length === 0) return `Nothing was used from ${range}.`
  const shown = columns.filter(({ label }) => label === undefined || grouped.includes(label))
  const bars = barsOf(usage)
  return [
    `Usage from ${range}`,
    '',
    renderTable(shown, usage),
    ...(bars.length > 1 ? ['', 'Tokens', renderBars(bars)] : []),
  ].join('\n')
}

interface UsageColumn extends Column<UsageRow> {
  /** Shown only if the rows are grouped by it. */
  readonly label?: 'workspace_id' | 'subject_id'
}

const columns: readonly UsageColumn[] = [
  { title: 'PERIOD', cell: ({ period }) => period },
  { title: 'EVENT TYPE', cell: ({ event_type }) => event_type },
  { title: 'WORKSPACE', cell: ({ workspace_id }) => workspace_id, label: 'workspace_id' },
  { title: 'SUBJECT', cell: ({ subject_id }) => subject_id, label: 'subject_id' },
  { title: 'COUNT', cell: ({ count }) => count.toLocaleString('en') },
  { title: 'QUANTITY', cell: ({ total_quantity }) => total_quantity.toLocaleString('en') },
]

function barsOf(rows: readonly UsageRow[]): Bar[] {
  const tokens = new Map<string, number>()
  for (const { event_type, period, total_quantity } of rows) {
    if (event_type === 'tokens.consumed') tokens.set(period, (tokens.get(period) ?? 0) + total_quantity)
  }
  return [...tokens].map(([label, value]) => ({ label, value }))
}
