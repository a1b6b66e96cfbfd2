// The command line of `/cli.tgz`: it talks to a service over HTTP, from any machine.
import { Command } from 'commander'
import type { CommandEntry, CommandGroup } from './command-entry.ts'
import { Refusal } from './output/refusal.ts'
import { remoteGroups } from './remote-commands.ts'
import { runProgram } from './run-program.ts'

/** The commands that this package does not have. */
export const installedOnly = [
  ...['start', 'api', 'worker', 'gate', 'migrate', 'doctor'],
  ...['customers', 'subjects', 'keys', 'cells', 'mcp', 'secrets', 'replay', 'eval'],
] as const

const refused = (name: string): CommandEntry => ({
  name,
  summary: 'only where the service is installed',
  load: async () =>
    new Command(name)
      .argument('[arguments...]')
      .allowUnknownOption()
      .action(() => {
        throw new Refusal(
          `${name} works only where the service is installed: it needs its files or its database. Run it there.`,
        )
      }),
})

const groups: readonly CommandGroup[] = [
  remoteGroups.runs,
  remoteGroups.accounts,
  { heading: 'Not in this package:', commands: installedOnly.map(refused) },
  remoteGroups.shell,
]

const explain = async (error: unknown): Promise<string> => (error instanceof Error ? error.message : String(error))

export const main = (argv: readonly string[]): Promise<void> => runProgram(argv, { groups, explain })
