// The tree of commands. Only the commands that are asked for are loaded; of the others, the help needs just the
// summary.
import { Command } from 'commander'
import { version } from '../runtime/version.ts'
import type { CommandEntry, CommandGroup, LoadContext } from './command-entry.ts'
import { commandLine } from './output/command-line.ts'
import { withExamples } from './output/help.ts'
import type { Io } from './output/io.ts'

const environment = () => `
Environment:
  RUNWRIGHT_URL      the service that commands talk to
  RUNWRIGHT_API_KEY  the API key, <key_id>:<secret>
  RUNWRIGHT_PRICES   the file with your prices, for costs and eval
  NO_COLOR           no colours and no animation
Without the first two, commands talk to the service whose data folder is here (.runwright, or RUNWRIGHT_DATA_DIR).
The settings of the service are environment variables too: see docs/configuration.md or the README.

Run ${commandLine('<command> --help')} for the options of a command and examples.`

export async function createProgram(
  io: Io,
  groups: readonly CommandGroup[],
  isLoaded: (name: string) => boolean = () => true,
): Promise<Command> {
  const program = new Command('runwright')
    .description('Runs agents durably on PostgreSQL.')
    .version(version)
    // The arguments are in the help of each command.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .commandsGroup('Other:')
    .helpCommand('help [command]', 'show help for a command')
  const context = { io, loadAll: () => createProgram(io, groups) }
  for (const { heading, commands } of groups) {
    for (const entry of commands) program.addCommand((await commandOf(entry, context, isLoaded)).helpGroup(heading))
  }
  withExamples(program, [
    ['runwright start', 'start the service'],
    ['runwright run "Compare these two offers" --input offers.json', 'create a run and follow it'],
    ['runwright list --status failed', 'find runs'],
  ])
  program.addHelpText('after', environment())
  forAll(program, (command) => command.exitOverride().showSuggestionAfterError())
  return program
}

async function commandOf(entry: CommandEntry, context: LoadContext, isLoaded: (name: string) => boolean) {
  const command = isLoaded(entry.name) ? await entry.load(context) : new Command(entry.name)
  return command.summary(entry.summary)
}

function forAll(command: Command, apply: (command: Command) => void): void {
  apply(command)
  for (const inner of command.commands) forAll(inner, apply)
}
