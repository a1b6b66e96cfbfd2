// Runs a command. An expected error prints one sentence and exits with code 1, a wrong use with code 2.
import { type Command, CommanderError } from 'commander'
import type { CommandGroup } from './command-entry.ts'
import { Refusal, UsageError } from './output/refusal.ts'
import { createProgram } from './program.ts'

const usageCode = 2

interface Commands {
  readonly groups: readonly CommandGroup[]
  /** The sentence for an error that no command has expected. */
  readonly explain: (error: unknown) => Promise<string>
}

export async function runProgram(argv: readonly string[], { groups, explain }: Commands): Promise<void> {
  endQuietlyWithReader()
  try {
    // `runwright help <command>` names the command second.
    const program = await createProgram(
      process,
      groups,
      (name) => name === argv[0] || (argv[0] === 'help' && name === argv[1]),
    )
    refuseUnknownTopic(program, argv)
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    process.exitCode = await failureCode(error, explain)
  }
}

/** Commander shows the help of the command above, as if that were meant. */
function refuseUnknownTopic(program: Command, argv: readonly string[]): void {
  let command: Command = program
  let isHelp = false
  for (const name of argv.filter((word) => !word.startsWith('-'))) {
    const inner = command.commands.find((known) => known.name() === name)
    if (name === 'help' && command.commands.length > 0) isHelp = true
    else if (inner) command = inner
    else if (isHelp) command.error(`error: unknown command '${name}'`, { exitCode: 1 })
    else return
  }
}

/** `runwright list | head`: a reader that has enough is not an error. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

async function failureCode(error: unknown, explain: Commands['explain']): Promise<number> {
  // Commander has already printed the error. Its code for a wrong use is 1.
  if (error instanceof CommanderError) return error.exitCode === 1 ? usageCode : error.exitCode
  if (error instanceof Refusal || error instanceof UsageError) console.error(error.message)
  else console.error(await explain(error))
  return error instanceof UsageError ? usageCode : 1
}
