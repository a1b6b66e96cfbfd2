// `runwright secrets …`: shows the progress of an encryption key change, and completes it.
import { Command } from 'commander'
import { ValueSealer } from '../../maintenance/seal-values.ts'
import { createLogger } from '../../runtime/logger.ts'
import { countSealed } from '../../store/sealed/values.ts'
import type { OpenStore, Store } from '../database/open-store.ts'
import { printFromStore } from '../database/store-action.ts'
import { commandLine } from '../output/command-line.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { toJson } from '../output/to-json.ts'

interface Options {
  readonly json?: true
}

export function secretsCommand(open: OpenStore<Store>): Command {
  const command = new Command('secrets').description('show and complete a change of the encryption key')
  const add = (name: string, description: string, work: (store: Store, options: Options) => Promise<string>) =>
    command
      .command(name)
      .description(description)
      .option('--json', 'print JSON')
      .action((options: Options) => printFromStore(open, (store) => work(store, options)))
  add('status', 'show how many values each data key seals, and whether previous keys are still needed', status)
  add('reseal', 're-encrypt all values with the newest data key now instead of in the background', reseal)
  return command
}

async function reseal(store: Store, options: Options): Promise<string> {
  const logger = createLogger({ level: 'warn', stream: process.stderr })
  const sealer = new ValueSealer({ database: store.database, keys: store.sealing, logger, hasPrevious: false })
  let isDone = false
  while (!isDone) isDone = (await sealer.runOnce()).isDone
  return status(store, options)
}

interface KeyLine {
  readonly data_key: number
  readonly values: number
  readonly newest: boolean
}

const columns: readonly Column<KeyLine>[] = [
  { title: 'DATA KEY', cell: (line) => line.data_key },
  { title: 'VALUES', cell: (line) => line.values },
  { title: 'NEWEST', cell: (line) => (line.newest ? 'yes' : null) },
]

async function status({ database, sealing }: Store, { json }: Options): Promise<string> {
  const byKey = await countSealed(database)
  const { newest } = sealing.keyring
  const lines = [...new Set([...byKey.keys(), newest])]
    .sort((a, b) => a - b)
    .map((id) => ({ data_key: id, values: byKey.get(id) ?? 0, newest: id === newest }))
  const isDone = lines.every((line) => line.newest || line.values === 0)
  if (json) return toJson({ data_keys: lines, previous_keys_needed: !isDone })
  return `${renderTable(columns, lines)}\n\n${sentence(isDone)}`
}

const sentence = (isDone: boolean): string =>
  isDone
    ? 'All values are sealed with the newest key. Remove RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS once all hosts use the new key.'
    : `Not complete. Running processes reseal values in the background; ${commandLine('secrets reseal')} does it now.`
