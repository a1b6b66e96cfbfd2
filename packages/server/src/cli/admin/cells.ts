// `runwright cells …`: list the cells, and move a customer from one to another.
import { Command } from 'commander'
import type { CellAddress, OpenCell } from '../../cells/cell.ts'
import { findCellOf } from '../../cells/find-cell.ts'
import { abortMove, moveCustomer } from '../../cells/move-customer.ts'
import { readCells } from '../../cells/read-cells.ts'
import { loadSecrets } from '../../runtime/secrets/secrets.ts'
import { readSettings } from '../../runtime/settings/settings.ts'
import { countCustomers, listMoves } from '../../store/cells/move-state.ts'
import { Database } from '../../store/postgres/database.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { renderTable } from '../output/print-table.ts'
import { Refusal } from '../output/refusal.ts'

/** Copies of large customers take long. */
const statementTimeoutMs = 3_600_000

export function cellsCommand(io: Io, env: NodeJS.ProcessEnv): Command {
  const command = new Command('cells').description('list the cells, and move customers between them')
  command
    .command('list')
    .description('list the cells of RUNWRIGHT_CELLS and the customers that are being moved')
    .option('--json', 'print JSON')
    .action(({ json }: { readonly json?: true }) => list(io, env, json))
  const move = command
    .command('move <customer>')
    .description(
      'Move a customer to another cell. Its ended runs are copied while it is served; then its writes are refused for ' +
        'some seconds while the rest is copied. After an interruption, the same command continues.',
    )
    .requiredOption('--to <cell>', 'the cell that it is moved to')
    .option('--drain-seconds <seconds>', 'how long running steps may take to end', '30')
    .option('--abort', 'end a move that was interrupted; the customer stays where it is')
    .action((customerId: string, options: MoveFlags) => moveOrAbort(io, env, customerId, options))
  withExamples(move, [
    ['runwright cells move acme --to b', 'move the customer acme to the cell b, or continue to'],
    ['runwright cells move acme --to b --abort', 'leave acme where it is'],
  ])
  return command
}

interface MoveFlags {
  readonly to: string
  readonly drainSeconds: string
  readonly abort?: true
}

async function moveOrAbort(io: Io, env: NodeJS.ProcessEnv, customerId: string, flags: MoveFlags): Promise<void> {
  const drainSeconds = Number(flags.drainSeconds)
  if (!(drainSeconds >= 0)) throw new Refusal('--drain-seconds must be a number of seconds.')
  await withCells(env, async (cells) => {
    const target = cells.find(({ name }) => name === flags.to)
    if (!target) throw new Refusal(`RUNWRIGHT_CELLS lists no cell ${flags.to}. It lists ${namesOf(cells)}.`)
    const source = await findCellOf(customerId, cells, target)
    if (flags.abort) {
      await abortMove({ customerId, source, target })
      return printText(io, `${customerId} stays in ${source.name}.`)
    }
    const report = (line: string) => io.stderr.write(`${line}\n`)
    await moveCustomer({ customerId, source, target, report, times: { drainMs: drainSeconds * 1000 } })
    printText(io, `${customerId} was moved from ${source.name} to ${target.name}.`)
  })
}

async function list(io: Io, env: NodeJS.ProcessEnv, json: true | undefined): Promise<void> {
  await withCells(env, async (open, addresses) => {
    const cells = await Promise.all(
      open.map(async ({ name, database }) => ({
        name,
        url: addresses.find((address) => address.name === name)?.url ?? '',
        customers: await countCustomers(database),
        moves: await listMoves(database),
      })),
    )
    if (json) return printJson(io, { cells: cells.map(({ moves, ...cell }) => ({ ...cell, moving: moves })) })
    printText(
      io,
      renderTable(
        [
          { title: 'CELL', cell: ({ name }) => name },
          { title: 'URL', cell: ({ url }) => url },
          { title: 'CUSTOMERS', cell: ({ customers }) => customers },
          { title: 'MOVING', cell: ({ moves }) => moves.map(({ id, move }) => `${id} (${move})`).join(', ') },
        ],
        cells,
      ),
    )
  })
}

const namesOf = (cells: readonly { readonly name: string }[]): string => cells.map(({ name }) => name).join(', ')

async function withCells(
  env: NodeJS.ProcessEnv,
  work: (cells: readonly OpenCell[], addresses: readonly CellAddress[]) => Promise<void>,
): Promise<void> {
  const settings = readSettings(env)
  const addresses = readCells(settings.cells.path)
  const secrets = loadSecrets({ ...settings.secrets, dataDir: settings.database.dataDir })
  const databases = addresses.map(
    ({ database: connectionString }) =>
      new Database({
        connection: { connectionString },
        maxConnections: 4,
        applicationName: 'runwright cells',
        statementTimeoutMs,
        // The target has no statistics of the tables yet.
        session: { enable_seqscan: 'off' },
      }),
  )
  try {
    const cells = await Promise.all(
      addresses.map(async ({ name }, index) => {
        const database = databases[index] as Database
        return { name, database, sealing: await prepareDatabase(database, secrets) }
      }),
    )
    await work(cells, addresses)
  } finally {
    await Promise.all(databases.map((database) => database.close()))
  }
}
