// A YAML file of cases, and the line on which each of its fields stands.
import { isAlias, isMap, isNode, isSeq, type Node } from 'yaml'
import { parseYaml } from '../../domain/yaml/parse-yaml.ts'
import { EvaluationError } from './evaluation-error.ts'

export interface CaseFile {
  readonly name: string
  readonly content: unknown
  /** The line of the field at the path, or of the last part of the path that exists. */
  lineOf(path: readonly PropertyKey[]): number
}

/** Throws an EvaluationError with the line if the text is not YAML. */
export function parseCaseFile(name: string, text: string): CaseFile {
  const yaml = parseYaml(text)
  if ('problem' in yaml) throw new EvaluationError(`${name}:${yaml.line}: ${yaml.problem}.`)
  const { document, value, lineAt } = yaml
  const root: Node | null = document.contents
  const resolve = (node: unknown): Node | undefined => {
    const target = isAlias(node) ? node.resolve(document) : node
    return isNode(target) ? target : undefined
  }
  const lineOf = (path: readonly PropertyKey[]): number => lineAt(offsetOf(root ?? undefined, path, resolve))
  return { name, content: value, lineOf }
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
