// `runwright costs`: what runs have cost, with prices from a file. The models and their tokens come from the turns of
// the runs: the service knows no prices.
import type { ListedRun, RunDetail, Runwright } from '@runwright/client'
import { type CostRow, CostSheet, type PriceList, sumOfCosts } from '@runwright/contract'
import { type Command, Option } from 'commander'
import { pricesVariable } from '../../runtime/settings/client-variables.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { renderTable } from '../output/print-table.ts'
import { Refusal } from '../output/refusal.ts'
import { money, notIncluded } from '../prices/describe-costs.ts'
import { readPrices } from '../prices/read-prices.ts'
import { jsonOption, type RemoteOptions, remoteCommand, withService } from './remote-command.ts'

const groups = ['run', 'agent', 'workspace', 'subject', 'month', 'model'] as const
type Group = (typeof groups)[number]

interface Options extends RemoteOptions {
  readonly prices?: string
  readonly by: Group
  readonly workspace?: string
  readonly subject?: string
  readonly agent?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
}

export function costsCommand(io: Io): Command {
  const command = remoteCommand('costs', 'Show what runs have cost, with prices from a file (see docs/usage.md#costs).')
    .argument('[run ids...]', 'only these runs (default: all that the options select)')
    .option('--prices <file>', `the prices of models (default: ${pricesVariable})`)
    .addOption(new Option('--by <what>', 'one row for each').choices(groups).default('run'))
    .option('--workspace <id>', 'only runs of this workspace')
    .option('--subject <id>', 'only runs of this subject')
    .option('--agent <name>', 'only runs of this agent')
    .option('--created-after <time>', 'only runs created at or after this time (ISO 8601 with a time zone)')
    .option('--created-before <time>', 'only runs created before this time')
    .option(...jsonOption)
    .action((ids: readonly string[], options: Options) => {
      const prices = pricesOf(options.prices ?? io.env[pricesVariable])
      return withService(io, options, async ({ client }) => {
        const sheet = new CostSheet(prices)
        for await (const run of runsOf(client, ids, options)) await addRun(sheet, client, run, options.by)
        print(io, sheet.rows(), prices, options)
      })
    })
  return withExamples(command, [
    ['runwright costs run_01kd2y6v5zexp8mx5kq4c5nq9h', 'one run'],
    ['runwright costs --by subject --created-after 2026-11-01T00:00:00Z', 'this month, by subject'],
    ['runwright costs --by month --agent clerk', 'one agent, by month'],
  ])
}

function pricesOf(path: string | undefined): PriceList {
  if (!path) throw new Refusal(`Name a file with the prices of models: set ${pricesVariable}, or use --prices.`)
  return readPrices(path)
}

type Run = ListedRun | RunDetail
const include = ['agent', 'usage'] as const

async function* runsOf(client: Runwright, ids: readonly string[], options: Options): AsyncGenerator<Run> {
  for (const id of ids) yield await client.runs.get(id, { include })
  if (ids.length > 0) return
  yield* client.runs.all({
    include: [...include],
    limit: 200,
    workspace_id: options.workspace,
    subject_id: options.subject,
    agent: options.agent,
    created_after: options.createdAfter,
    created_before: options.createdBefore,
  })
}

/** The turns are read after the run, so there are never fewer tokens in them than the run had then. */
async function addRun(sheet: CostSheet, client: Runwright, run: Run, by: Group): Promise<void> {
  let unrecorded = run.usage?.tokens ?? 0
  for await (const { model, usage, started_at } of client.runs.allTurns(run.id)) {
    if (usage === null) continue
    sheet.addCall(keyOf(by, run, { model, at: started_at }), model, usage)
    unrecorded -= usage.total
  }
  if (unrecorded > 0) sheet.addUnrecorded(keyOf(by, run, { model: none, at: run.metadata.created_at }), unrecorded)
}

const none = '-'

function keyOf(by: Group, run: Run, { model, at }: { readonly model: string; readonly at: string }): string {
  const keys: Readonly<Record<Group, string | null | undefined>> = {
    run: run.id,
    agent: run.agent?.name,
    workspace: run.workspace_id,
    subject: run.subject_id,
    month: at.slice(0, 'YYYY-MM'.length),
    model,
  }
  return keys[by] ?? none
}

function print(io: Io, rows: readonly CostRow[], { currency, date }: PriceList, { by, json }: Options): void {
  const total = sumOfCosts(rows)
  if (json) {
    printJson(io, { currency, prices_of: date, by, rows, total })
    return
  }
  const table = renderTable(
    [
      { title: by.toUpperCase(), cell: ({ key }) => key },
      { title: 'TOKENS', cell: ({ tokens }) => tokens.toLocaleString('en') },
      { title: currency, cell: money },
    ],
    [...rows, { ...total, key: 'Total' }],
  )
  const missing = total.unpriced.map(notIncluded)
  printText(io, [`Costs in ${currency}, with the prices of ${date}`, '', table, ...spaced(missing)].join('\n'))
}

const spaced = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', ...lines])
