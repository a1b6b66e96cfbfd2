// Help in the style of a man page: what the command does, its options, examples.
import type { Command } from 'commander'

type Example = readonly [command: string, what: string]

export function withExamples(command: Command, examples: readonly Example[]): Command {
  const lines = examples.flatMap(([line, what]) => [`  # ${what}`, `  ${line}`, ''])
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n').trimEnd())
}
