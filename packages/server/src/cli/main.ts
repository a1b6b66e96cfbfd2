// The command line. Each command has its own file. An expected error prints one sentence and exits with code 1, a wrong
// use with code 2.
import { CommanderError } from 'commander'
import { Refusal, UsageError } from './output/refusal.ts'
import { createProgram } from './program.ts'

const usageCode = 2

export async function main(argv: readonly string[]): Promise<void> {
  endQuietlyWithReader()
  try {
    // `runwright help <command>` names the command second.
    const program = await createProgram(process, (name) => name === argv[0] || (argv[0] === 'help' && name === argv[1]))
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    process.exitCode = await failureCode(error)
  }
}

/** `runwright list | head`: a reader that has enough is not an error. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

async function failureCode(error: unknown): Promise<number> {
  // Commander has already printed the error. Its code for a wrong use is 1.
  if (error instanceof CommanderError) return error.exitCode === 1 ? usageCode : error.exitCode
  if (error instanceof Refusal || error instanceof UsageError) console.error(error.message)
  // Loaded on demand: it knows the errors of the database.
  else console.error((await import('./output/explain.ts')).explain(error))
  return error instanceof UsageError ? usageCode : 1
}
