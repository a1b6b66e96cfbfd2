// `runwright start`, `api`, `worker` and `gate`: the commands that run the service or a part of it.
import { Command } from 'commander'
import { createLogger } from '../../runtime/logger.ts'
import { readSettings } from '../../runtime/settings/settings.ts'
import { explain } from '../output/explain.ts'
import { guardProcess } from './processes/guard-process.ts'
import { stopOnSignal } from './stop-on-signal.ts'

const services = {
  start: {
    api: true,
    worker: true,
    description: 'serve the API and execute runs; starts an embedded PostgreSQL if DATABASE_URL is not set',
  },
  api: {
    api: true,
    worker: false,
    description: 'serve the API only; any number of processes can share one DATABASE_URL',
  },
  worker: {
    api: false,
    worker: true,
    description: 'execute runs only; any number of processes can share one DATABASE_URL',
  },
} as const

export function serviceCommand(name: keyof typeof services): Command {
  const { description, ...parts } = services[name]
  return new Command(name)
    .description(description)
    .action(async () => (await import('./start.ts')).start(process.env, parts))
}

export const gateCommand = (): Command =>
  new Command('gate')
    .description(
      'pass requests below /v1 on to the cell of their customer; RUNWRIGHT_CELLS names the file with the cells',
    )
    .action(() => startGate(process.env))

async function startGate(env: NodeJS.ProcessEnv): Promise<void> {
  const { createGate } = await import('../../app/cell-gate.ts')
  const settings = readSettings(env)
  const logger = createLogger(settings.logging)
  guardProcess(settings, logger, 0)
  const gate = createGate(settings, logger)
  const address = await gate.start()
  stopOnSignal(
    () => gate.stop(),
    (error) => {
      console.error(explain(error))
      process.exit(1)
    },
  )
  const cells = gate.cells.map(({ name, url }) => `${name} (${url})`).join(', ')
  console.log(`\nRunwright is ready.\n\n  API      ${address}\n  Cells    ${cells}\n`)
}
