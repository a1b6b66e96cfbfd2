// What can be completed: the commands with their options and values, from the tree of commands.
import type { Command } from 'commander'

export interface CompletedOption {
  readonly flag: string
  readonly description: string
  /** Undefined if the option takes no value; empty if any value is possible. */
  readonly values: readonly string[] | undefined
  readonly isFile: boolean
}

export interface CompletedCommand {
  /** Such as `keys create`; empty for the program itself. */
  readonly path: string
  readonly summary: string
  readonly options: readonly CompletedOption[]
  /** The values of its arguments, where they are fixed. */
  readonly values: readonly string[]
  readonly commands: readonly CompletedCommand[]
}

export function completionTree(command: Command, path = ''): CompletedCommand {
  const options = command.createHelp().visibleOptions(command)
  return {
    path,
    summary: command.summary() || command.description(),
    options: options.map((option) => ({
      flag: option.long ?? option.flags,
      description: option.description,
      values: option.required || option.optional ? (option.argChoices ?? []) : undefined,
      isFile: /<(file|path|folder)>/.test(option.flags),
    })),
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    commands: command.commands.map((inner) => completionTree(inner, `${path} ${inner.name()}`.trim())),
  }
}

export const allCommands = (tree: CompletedCommand): CompletedCommand[] => [tree, ...tree.commands.flatMap(allCommands)]
