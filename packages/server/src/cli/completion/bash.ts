// The completion script for bash. It needs no other program: all words are in it.
import { allCommands, type CompletedCommand } from './tree.ts'

export function bashCompletion(tree: CompletedCommand): string {
  const commands = allCommands(tree)
  return [
    '# Completion of runwright for bash. Load it with: source <(runwright completion bash)',
    '_runwright() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"`,
    '  local command="" words="" index',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    `    case "$command \${COMP_WORDS[index]}" in`,
    ...commands.slice(1).map(({ path }) => `      "${before(path)}") command="${path}" ;;`),
    '    esac',
    '  done',
    '  COMPREPLY=()',
    '  case "$command $previous" in',
    ...commands.flatMap(valueCases),
    '  esac',
    '  case "$command" in',
    ...commands.map((command) => `    "${command.path}") words="${wordsOf(command).join(' ')}" ;;`),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -F _runwright runwright',
  ].join('\n')
}

/** What is known before the last word of the path: `keys create` is `create` after `keys`. */
const before = (path: string): string => (path.includes(' ') ? path : ` ${path}`)

const wordsOf = ({ commands, options, values }: CompletedCommand): string[] => [
  ...commands.map(({ path }) => path.split(' ').at(-1) ?? ''),
  ...values,
  ...options.map(({ flag }) => flag),
]

const valueCases = ({ path, options }: CompletedCommand): string[] =>
  options.flatMap(({ flag, values, isFile }) => {
    if (values === undefined) return []
    const words = isFile ? '-f' : `-W "${values.join(' ')}"`
    return [`    "${path} ${flag}") COMPREPLY=($(compgen ${words} -- "$current")); return ;;`]
  })
