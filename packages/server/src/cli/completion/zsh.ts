// The completion script for zsh. It needs no other program: all words are in it.
import { allCommands, type CompletedCommand } from './tree.ts'

export function zshCompletion(tree: CompletedCommand): string {
  const commands = allCommands(tree)
  return [
    '#compdef runwright',
    '# Completion of runwright for zsh. Load it with: source <(runwright completion zsh)',
    '_runwright() {',
    '  local command="" index',
    '  local -a found',
    '  for ((index = 2; index < CURRENT; index++)); do',
    `    case "$command \${words[index]}" in`,
    ...commands.slice(1).map(({ path }) => `      "${before(path)}") command="${path}" ;;`),
    '    esac',
    '  done',
    `  case "$command \${words[CURRENT-1]}" in`,
    ...commands.flatMap(valueCases),
    '  esac',
    '  case "$command" in',
    ...commands.flatMap((command) => [`    "${command.path}") found=(`, ...entriesOf(command), '    ) ;;']),
    '  esac',
    '  _describe runwright found',
    '}',
    `if [ "\${funcstack[1]}" = "_runwright" ]; then _runwright "$@"; else compdef _runwright runwright; fi`,
  ].join('\n')
}

const before = (path: string): string => (path.includes(' ') ? path : ` ${path}`)

const entriesOf = ({ commands, options, values }: CompletedCommand): string[] => [
  ...commands.map(({ path, summary }) => entry(path.split(' ').at(-1) ?? '', summary)),
  ...values.map((value) => entry(value, '')),
  ...options.map(({ flag, description }) => entry(flag, description)),
]

/** A word and its description, in single quotes. */
const entry = (word: string, description: string): string => {
  const text = description === '' ? word : `${word.replaceAll(':', '\\:')}:${description}`
  return `      '${text.replaceAll("'", `'\\''`)}'`
}

const valueCases = ({ path, options }: CompletedCommand): string[] =>
  options.flatMap(({ flag, values, isFile }) => {
    if (values === undefined) return []
    const action = isFile ? '_files' : values.length === 0 ? 'return' : `compadd -- ${values.join(' ')}`
    return [`    "${path} ${flag}") ${action}; return ;;`]
  })
