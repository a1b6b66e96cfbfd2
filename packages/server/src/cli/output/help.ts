// Help in the style of a man page: what the command does, its options, examples.
import type { Command } from 'commander'
import { exampleLine } from './command-line.ts'

/** `a, b or c`. */
export const eitherOf = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].join(' or ')

type Example = readonly [command: string, what: string]

export function withExamples(command: Command, examples: readonly Example[]): Command {
  const lines = examples.flatMap(([line, what]) => [`  # ${what}`, `  ${exampleLine(line)}`, ''])
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n').trimEnd())
}
