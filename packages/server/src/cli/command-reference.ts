// The reference of all commands for docs/cli.md: the help of each, as the command prints it.
import type { Command } from 'commander'
import { commandLine } from './output/command-line.ts'

const width = 100

export function renderReference(program: Command): string {
  return commandsOf(program)
    .map((command) => [`### ${pathOf(command)}`, '', '```text', helpOf(command), '```'].join('\n'))
    .join('\n\n')
}

const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)]

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

function helpOf(command: Command): string {
  const written: string[] = []
  command.configureOutput({
    writeOut: (text) => void written.push(text),
    getOutHelpWidth: () => width,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  // The docs are read anywhere, so they use the plain name.
  return written.join('').trimEnd().replaceAll(commandLine(''), 'runwright ')
}
