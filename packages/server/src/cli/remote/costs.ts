// `runwright costs`: what runs have cost, with prices from a file. The service counts the tokens of each model in its
// records of usage, and knows no prices.
import { type CallTokens, type CostRow, CostSheet, type PriceList, sumOfCosts } from '@runwright/contract'
import { type Command, Option } from 'commander'
import { pricesVariable } from '../../runtime/settings/client-variables.ts'
import type { Connection } from '../connection/connect.ts'
import { readOwnRoute } from '../connection/read-own-route.ts'
import type { Target } from '../connection/target.ts'
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
  readonly start?: string
  readonly end?: string
}

export function costsCommand(io: Io): Command {
  const command = remoteCommand('costs', 'Show what runs have cost, with prices from a file (see docs/usage.md#costs).')
    .argument('[run ids...]', 'these runs (default: all calls that the options select)')
    .option('--prices <file>', `the prices of models (default: ${pricesVariable})`)
    .addOption(new Option('--by <what>', 'one row for each').choices(groups).default('run'))
    .option('--workspace <id>', 'only runs of this workspace')
    .option('--subject <id>', 'only runs of this subject')
    .option('--agent <name>', 'only runs of this agent')
    .option('--start <time>', 'calls from this time on, ISO 8601 with a time zone (default: the start of the month)')
    .option('--end <time>', 'calls up to this time (default: now)')
    .option(...jsonOption)
    .action((ids: readonly string[], options: Options) => {
      const prices = pricesOf(options.prices ?? io.env[pricesVariable])
      return withService(io, options, async (connection) => {
        const sheet = new CostSheet(prices)
        if (ids.length === 0) await addAll(sheet, connection, options)
        for (const id of ids) await addRun(sheet, connection, id, options.by)
        print(io, sheet.rows(), prices, options)
      })
    })
  return withExamples(command, [
    ['runwright costs run_01kd2y6v5zexp8mx5kq4c5nq9h', 'one run'],
    ['runwright costs --by subject', 'this month, by subject'],
    ['runwright costs --by month --agent clerk --start 2026-01-01T00:00:00Z', 'one agent, by month'],
  ])
}

function pricesOf(path: string | undefined): PriceList {
  if (!path) throw new Refusal(`Name a file with the prices of models: set ${pricesVariable}, or use --prices.`)
  return readPrices(path)
}

interface ModelTokens {
  readonly model: string | null
  readonly tokens: CallTokens
}

interface GroupTokens extends ModelTokens {
  readonly key: string | null
  readonly is_rest: boolean
}

const add = (sheet: CostSheet, key: string, { model, tokens }: ModelTokens) =>
  model === null ? sheet.addUnrecorded(key, tokens.total) : sheet.addCall(key, model, tokens)

const mostRows = '1000'
const [none, rest] = ['-', 'all others']

/** Also of runs that were removed. */
async function addAll(sheet: CostSheet, target: Target, options: Options): Promise<void> {
  const { by, start, end, workspace, subject, agent } = options
  const filters = { start, end, workspace_id: workspace, subject_id: subject, agent }
  const query = new URLSearchParams({ by, limit: mostRows })
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value)
  const { rows } = (await readOwnRoute(target, `model-tokens?${query}`)) as { readonly rows: readonly GroupTokens[] }
  for (const row of rows) add(sheet, row.is_rest ? rest : (row.key ?? withoutKey(by)), row)
}

const withoutKey = (by: Group) => (by === 'run' ? 'removed runs' : none)

async function addRun(sheet: CostSheet, connection: Connection, id: string, by: Group): Promise<void> {
  const run = await connection.client.runs.get(id, { include: ['agent'] })
  const { rows } = (await readOwnRoute(connection, `model-tokens/${id}`)) as {
    readonly rows: readonly (ModelTokens & { readonly month: string })[]
  }
  for (const row of rows) {
    const keys: Readonly<Record<Group, string | null | undefined>> = {
      ...{ run: id, agent: run.agent?.name, workspace: run.workspace_id, subject: run.subject_id },
      ...{ month: row.month, model: row.model },
    }
    add(sheet, keys[by] ?? none, row)
  }
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
