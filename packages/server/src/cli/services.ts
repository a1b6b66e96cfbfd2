// `runwright start`, `api`, `worker` and `gate`: the commands that run the service or a part of it.
import { Command } from 'commander'

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
    .action(async () => (await import('./gate.ts')).startGate(process.env))
