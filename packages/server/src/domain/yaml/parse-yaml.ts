// Parses YAML that someone else may have written: bounded, and only the part of YAML that JSON has, with aliases.
//
// The library recurses over what nests, also in `toJS`. To catch the overflow of the stack is not enough: if V8 has to
// compile a regular expression at that moment, it aborts the process. So the tokens are checked first, without
// recursion. The library compares each key of a map with all others; that is done here instead.
import { showName } from '@runwright/contract'
import { type Document, isNode, isScalar, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml'
import { findJsonProblem } from '../json/strict-json-problem.ts'
import { findTokenProblem } from './check-tokens.ts'

export interface ParsedYaml {
  readonly document: Document.Parsed
  readonly value: unknown
  /** The number of the line in which a character of the text stands. */
  readonly lineAt: (offset: number) => number
}

export interface YamlProblem {
  /** A clause without a full stop. */
  readonly problem: string
  readonly line: number
}

export const maxYamlDepth = 64
/** More of them could multiply a small text into a huge value. */
const maxAliases = 100

/** The caller limits the length of the text. */
export function parseYaml(text: string): ParsedYaml | YamlProblem {
  const lines = new LineCounter()
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const fail = ({ problem, offset }: Found): YamlProblem => ({ problem, line: lineAt(offset) })
  const inTokens = findTokenProblem(text, { maxDepth: maxYamlDepth, onLine: lines.addNewLine })
  if (inTokens) return fail(inTokens)
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  const [invalid] = [...document.errors, ...document.warnings]
  if (invalid) return fail({ problem: firstLine(invalid.message), offset: invalid.pos[0] })
  const inNodes = findNodeProblem(document)
  if (inNodes) return fail(inNodes)
  const value = toJson(document)
  return 'problem' in value ? fail({ ...value, offset: 0 }) : { document, value: value.json, lineAt }
}

interface Found {
  readonly problem: string
  readonly offset: number
}

/** Keys that are used twice, and numbers that JSON does not have. */
function findNodeProblem(document: Document.Parsed): Found | undefined {
  let found: Found | undefined
  const stopIf = (problem: Found | undefined) => {
    found = problem
    return problem && visit.BREAK
  }
  visit(document, {
    Map: (_, map) => stopIf(repeatedKeyOf(map)),
    Scalar: (_, { value, source, range }) =>
      stopIf(
        typeof value === 'number' && !Number.isFinite(value)
          ? { problem: `${source} is not a number of JSON`, offset: range?.[0] ?? 0 }
          : undefined,
      ),
  })
  return found
}

function repeatedKeyOf({ items }: YAMLMap): Found | undefined {
  const keys = new Set<string>()
  for (const { key } of items) {
    const name = isScalar(key) ? String(key.value) : ''
    const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0
    if (keys.has(name)) return { problem: `the key ${showName(name)} is used twice`, offset }
    keys.add(name)
  }
  return undefined
}

/** As if the text had been JSON. */
function toJson(document: Document.Parsed): { json: unknown } | { problem: string } {
  try {
    const text = JSON.stringify(document.toJS({ maxAliasCount: maxAliases }) ?? null)
    const problem = findJsonProblem(text, maxYamlDepth)
    return problem === undefined ? { json: JSON.parse(text) } : { problem: problem.replace(/\.$/, '') }
  } catch (error) {
    return { problem: describeFailure(error as Error) }
  }
}

function describeFailure({ name, message }: Error): string {
  if (message.startsWith('Excessive alias count')) return `it has too many aliases: at most ${maxAliases}`
  return name === 'ReferenceError' ? firstLine(message) : 'an alias refers to itself'
}

const firstLine = (message: string): string => (message.split('\n', 1)[0] ?? '').replace(/\.$/, '')
