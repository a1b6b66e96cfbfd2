// The command line: one command a file. Whatever is expected to go wrong ends in one sentence and exit code 1.
import { Command, CommanderError } from 'commander'
import { version } from '../runtime/version.ts'
import { explain } from './explain.ts'

const services = {
  start: {
    api: true,
    worker: true,
    description: 'serve the API and execute runs, with a PostgreSQL of its own unless DATABASE_URL is set',
  },
  api: { api: true, worker: false, description: 'serve the API only; any number on one DATABASE_URL' },
  worker: { api: false, worker: true, description: 'execute runs only; any number on one DATABASE_URL' },
} as const

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('runwright')
    .description('Runs agents durably on PostgreSQL.')
    .version(version)
    .showSuggestionAfterError()
    .exitOverride()
  for (const [name, { description, ...parts }] of Object.entries(services)) {
    program
      .command(name)
      .description(description)
      .action(async () => (await import('./start.ts')).start(process.env, parts))
  }
  try {
    // Loaded only when asked for: `start` should not pay for them.
    if (!(argv[0] !== undefined && argv[0] in services)) await addAdministration(program)
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    process.exitCode = failureCode(error)
  }
}

async function addAdministration(program: Command): Promise<void> {
  const [{ customersCommand }, { keysCommand }, { secretsCommand }, { usageCommand }, { openStore }] =
    await Promise.all([
      import('./customers.ts'),
      import('./keys.ts'),
      import('./secrets.ts'),
      import('./usage.ts'),
      import('./open-store.ts'),
    ])
  const open = openStore(process.env)
  for (const command of [customersCommand, keysCommand, secretsCommand, usageCommand]) {
    program.addCommand(command(open).exitOverride())
  }
}

function failureCode(error: unknown): number {
  // Commander has said what was wrong already.
  if (error instanceof CommanderError) return error.exitCode
  console.error(explain(error))
  return 1
}
