// The command line. Each command has its own file. An expected error prints one sentence and exits with code 1.
import { Command, CommanderError } from 'commander'
import { version } from '../runtime/version.ts'
import { explain } from './explain.ts'

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
    // Loaded on demand, so that they do not slow down `start`.
    if (!(argv[0] !== undefined && argv[0] in services)) await addAdministration(program)
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    process.exitCode = failureCode(error)
  }
}

async function addAdministration(program: Command): Promise<void> {
  const [
    { customersCommand },
    { keysCommand },
    { mcpCommand },
    { replayCommand },
    { secretsCommand },
    { usageCommand },
    { openStore },
  ] = await Promise.all([
    import('./customers.ts'),
    import('./keys.ts'),
    import('./mcp.ts'),
    import('./replay.ts'),
    import('./secrets.ts'),
    import('./usage.ts'),
    import('./open-store.ts'),
  ])
  const { doctorCommand } = await import('./doctor.ts')
  program.addCommand(doctorCommand(process.env).exitOverride())
  const { evalCommand } = await import('./eval.ts')
  program.addCommand(evalCommand())
  const open = openStore(process.env)
  for (const command of [customersCommand, keysCommand, mcpCommand, replayCommand, secretsCommand, usageCommand]) {
    program.addCommand(command(open).exitOverride())
  }
}

function failureCode(error: unknown): number {
  // Commander has already printed the error.
  if (error instanceof CommanderError) return error.exitCode
  console.error(explain(error))
  return 1
}
