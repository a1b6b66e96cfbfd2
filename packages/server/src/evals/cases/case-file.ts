// A YAML file of cases, and the line on which each of its fields stands.
import { isAlias, isMap, isNode, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { EvaluationError } from '../evaluation-error.ts'

export interface CaseFile {
  readonly name: string
  readonly content: unknown
  /** The line of the field at the path, or of the last part of the path that exists. */
  lineOf(path: readonly PropertyKey[]): number
}

/** Throws an EvaluationError with the line if the text is not YAML. */
export function parseCaseFile(name: string, text: string): CaseFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const error = document.errors[0]
  if (error) {
    const problem = error.message.split('\n')[0]?.split(' at line ')[0]
    throw new EvaluationError(`${name}:${lines.linePos(error.pos[0]).line}: ${problem}.`)
  }
  const root: Node | null = document.contents
  const resolve = (node: unknown): Node | undefined => {
    const target = isAlias(node) ? node.resolve(document) : node
    return isNode(target) ? target : undefined
  }
  const lineOf = (path: readonly PropertyKey[]): number =>
    lines.linePos(offsetOf(root ?? undefined, path, resolve)).line
  return { name, content: toJson(name, document), lineOf }
}

/** Throws for aliases that expand to a huge document. */
function toJson(name: string, document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new EvaluationError(`${name}:1: ${error instanceof Error ? error.message : 'the file is invalid'}.`)
  }
}

type Resolve = (node: unknown) => Node | undefined

function offsetOf(root: Node | undefined, path: readonly PropertyKey[], resolve: Resolve): number {
  let node = root
  let offset = root?.range?.[0] ?? 0
  for (const part of path) {
    const next = childOf(resolve(node), part)
    if (next === undefined) return offset
    offset = next.offset ?? offset
    node = resolve(next.node)
  }
  return offset
}

function childOf(node: Node | undefined, part: PropertyKey): { offset: number | undefined; node: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)]
    return isNode(item) ? { offset: item.range?.[0], node: item } : undefined
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => isNode(key) && String(key) === String(part))
  return pair && { offset: (pair.key as Node).range?.[0], node: pair.value }
}
