// Reads the tokens of a YAML text without recursion, and finds what must not reach the parser: what nests too deeply,
// and the parts of YAML that JSON does not have.
import { cutText } from '@runwright/contract'
import { CST, Parser } from 'yaml'

interface TokenProblem {
  /** A clause without a full stop. */
  readonly problem: string
  readonly offset: number
}

interface CheckOptions {
  readonly maxDepth: number
  /** Gets the offset of each line. */
  readonly onLine: (offset: number) => void
}

const maxShownLength = 40

interface Visit {
  readonly token: CST.Token
  readonly depth: number
}

/** The first problem that is found, not always the first one in the text. */
export function findTokenProblem(text: string, { maxDepth, onLine }: CheckOptions): TokenProblem | undefined {
  const left: Visit[] = []
  for (const token of new Parser(onLine).parse(text)) left.push({ token, depth: 0 })
  for (let next = left.pop(); next; next = left.pop()) {
    const { token, depth } = next
    const { offset } = token
    if (depth > maxDepth) return { problem: `it nests more than ${maxDepth} levels`, offset }
    const problem = propertyProblem(token)
    if (problem) return { problem, offset }
    left.push(...childrenOf(token, depth))
  }
  return undefined
}

function childrenOf(token: CST.Token, depth: number): Visit[] {
  if (token.type === 'document') return token.value ? [{ token: token.value, depth: depth + 1 }] : []
  if (!CST.isCollection(token)) return []
  const children = token.items.flatMap(({ key, value }) => [key, value])
  return children.flatMap((child) => (child ? [{ token: child, depth: depth + 1 }] : []))
}

/** Tags, and keys that are not a text, are not in JSON. To the parser a merge key is a key like any other. */
function propertyProblem(token: CST.Token): string | undefined {
  const tag = propertiesOf(token).find(({ type }) => type === 'tag')
  if (tag) return `tags such as ${cutText('source' in tag ? tag.source : '', maxShownLength)} are not supported`
  const keys = CST.isCollection(token) ? token.items.flatMap(({ key }) => (key ? [key] : [])) : []
  if (keys.some((key) => key.type === 'scalar' && key.source === '<<')) return 'merge keys (<<) are not supported'
  return keys.every(CST.isScalar) ? undefined : 'a key must be a plain text'
}

function propertiesOf(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.start
  if (token.type === 'block-scalar') return token.props
  return CST.isCollection(token) ? token.items.flatMap(({ start, sep = [] }) => [...start, ...sep]) : []
}
