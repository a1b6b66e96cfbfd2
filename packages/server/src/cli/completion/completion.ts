// `runwright completion bash|zsh`: prints a script that completes commands, options and values.
import { Argument, Command } from 'commander'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printText } from '../output/print.ts'
import { bashCompletion } from './bash.ts'
import { completionTree } from './tree.ts'
import { zshCompletion } from './zsh.ts'

const shells = { bash: bashCompletion, zsh: zshCompletion } as const

/** `loadAll` returns the program with all its commands. */
export function completionCommand(io: Io, loadAll: () => Promise<Command>): Command {
  const command = new Command('completion')
    .description('Print a script that makes a shell complete the commands and options of runwright.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action(async (shell: keyof typeof shells) => printText(io, shells[shell](completionTree(await loadAll()))))
  return withExamples(command, [
    ['source <(runwright completion bash)', 'in ~/.bashrc'],
    ['source <(runwright completion zsh)', 'in ~/.zshrc, after compinit'],
  ])
}
