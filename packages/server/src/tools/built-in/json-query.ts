// The tool `json_query`: picks values out of JSON by a JSONPath (RFC 9535), without the functions that take regular
// expressions, since those can take for ever.
import { z } from 'zod'
import { selectNodes } from '../../domain/json/path/select-nodes.ts'
import { compileSegments, type Segment } from '../../domain/json/path/syntax.ts'
import { WorkBudgetExceeded } from '../../domain/json/path/work-budget.ts'
import type { Tool } from '../port/tool.ts'

export const maxPathLength = 1024
/** Steps that one query may take: about 0.1 s, in which the process does nothing else. */
export const maxQueryWork = 500_000

const input = z.strictObject({
  json: z
    .unknown()
    .refine((value) => value !== undefined)
    .meta({ description: 'Any JSON value' }),
  path: z.string().max(maxPathLength).meta({ description: 'For example `$.items[?@.price < 10].name`' }),
})

export const jsonQuery: Tool<z.infer<typeof input>> = {
  name: 'json_query',
  description: 'Gives all values that a JSONPath (RFC 9535) selects in a JSON value, in their order.',
  input,
  effectOf: () => 'read',
  timeoutSeconds: 5,
  run: async ({ json, path }) => ({ matches: select(parse(path), json) }),
}

function select(segments: readonly Segment[], json: unknown): unknown[] {
  try {
    return selectNodes(segments, json, { left: maxQueryWork }).map(({ value }) => value)
  } catch (error) {
    if (!(error instanceof WorkBudgetExceeded)) throw error
    throw new Error('The path asks for too much work on this JSON: name more of it, use fewer `..` and filters.')
  }
}

function parse(path: string): readonly Segment[] {
  try {
    return compileSegments(path)
  } catch (error) {
    throw new Error(`input.path is not a JSONPath: ${describeProblem(error as Error & SyntaxPlace)}.`)
  }
}

/** Errors of the parser have it, and repeat it at the end of their message. */
interface SyntaxPlace {
  readonly token?: { readonly index: number }
}

const repeatedPlace = / \('.*':\d+\)$/s
/** Where the parser speaks of its own insides. */
const innerWords = /TOKEN_|backup/

function describeProblem({ message, token }: Error & SyntaxPlace): string {
  const told = message.replace(repeatedPlace, '')
  const problem = innerWords.test(told) ? 'unexpected text or end' : told
  return token === undefined ? problem : `${problem}, at character ${token.index + 1}`
}
