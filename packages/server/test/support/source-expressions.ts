// The regular expressions of the sources that ship, found by parsing them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'

const root = join(import.meta.dirname, '../../../..')

/** Sources that run where text from outside arrives. Build scripts read files of this repository only. */
const folders = [
  ...['contract', 'client', 'console', 'server'].map((name) => `packages/${name}/src`),
  'packages/server/bin',
  'packages/docs/assets',
  'examples',
  'scripts',
]
const isShipped = (path: string): boolean =>
  /\.[cm]?[jt]sx?$/.test(path) &&
  !/\.test\.tsx?$|\.d\.ts$|\/node_modules\/|\/\.next\//.test(path) &&
  (!path.startsWith('scripts/') || /^scripts\/(?:start|setup)/.test(path))

const sources = (): string[] =>
  folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter(isShipped)

export interface SourceExpression {
  readonly pattern: string
  readonly flags: string
  /** `path:line` of each place that has it. */
  readonly places: string[]
}

interface Found {
  readonly expressions: readonly SourceExpression[]
  /** `path:line` of expressions that are made from text while the program runs. */
  readonly computed: readonly string[]
}

interface AstNode {
  readonly type: string
  readonly start: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
}

export function findExpressions(): Found {
  const expressions = new Map<string, SourceExpression>()
  const computed: string[] = []
  for (const path of sources()) {
    const source = readFileSync(join(root, path), 'utf8')
    visit(parse(path, source), (node) => {
      const place = () => `${path}:${source.slice(0, node.start).split('\n').length}`
      if (node.regex) add(expressions, node.regex, place())
      if (isConstructor(node)) computed.push(place())
    })
  }
  return { expressions: [...expressions.values()], computed }
}

function parse(path: string, source: string): unknown {
  const { program, errors } = parseSync(path, source)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  return program
}

function visit(node: unknown, take: (node: AstNode) => void): void {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node) take(node as AstNode)
  for (const child of Object.values(node)) visit(child, take)
}

const isConstructor = ({ type, callee }: AstNode): boolean =>
  (type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp'

function add(all: Map<string, SourceExpression>, { pattern, flags }: NonNullable<AstNode['regex']>, place: string) {
  const key = `/${pattern}/${flags}`
  const known = all.get(key)
  if (known) known.places.push(place)
  else all.set(key, { pattern, flags, places: [place] })
}
