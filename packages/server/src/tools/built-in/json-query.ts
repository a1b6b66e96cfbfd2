// The tool `json_query`: selects values in JSON with a JSONPath (RFC 9535). The functions that take a regular
// expression are not available, because evaluating one can take exponential time.
import { z } from 'zod'
import { selectNodes } from '../../domain/json/path/select-nodes.ts'
import { compileSegments, type Segment } from '../../domain/json/path/syntax.ts'
import { WorkBudgetExceeded } from '../../domain/json/path/work-budget.ts'
import type { Tool } from '../port/tool.ts'

export const maxPathLength = 1024
/** Steps that one query may take: about 0.1 s, during which the process does nothing else. */
const maxQueryWork = 500_000

const input = z.strictObject({
  json: z
    .unknown()
    .refine((value) => value !== undefined)
    .meta({ description: 'Any JSON' }),
  path: z.string().max(maxPathLength).meta({ description: 'Such as `$.items[?@.price < 10].name`' }),
})

export const jsonQuery: Tool<z.infer<typeof input>> = {
  name: 'json_query',
  description: 'Returns all values that a JSONPath (RFC 9535) selects.',
  input,
  isOfferedByName: true,
  effectOf: () => 'read',
  timeoutSeconds: 5,
  run: async ({ json, path }) => ({ matches: select(parse(path), json) }),
}

function select(segments: readonly Segment[], json: unknown): unknown[] {
  try {
    return selectNodes(segments, json, { left: maxQueryWork }).map(({ value }) => value)
  } catch (error) {
    if (!(error instanceof WorkBudgetExceeded)) throw error
    throw new Error(
      'input.path takes too much work to evaluate on this JSON; use a more specific path with fewer `..` and filters.',
    )
  }
}

function parse(path: string): readonly Segment[] {
  try {
    return compileSegments(path)
  } catch (error) {
    throw new Error(`input.path is not a valid JSONPath: ${describeProblem(error as Error & WithPosition)}.`)
  }
}

/** The parser's errors have the position, and repeat it at the end of their message. */
interface WithPosition {
  readonly token?: { readonly index: number }
}

/** Words in messages about the parser's internals. */
const internalWords = /TOKEN_|backup/

/** Without ` ('$.a[':4)` at its end. */
const withoutPosition = (message: string): string =>
  /':\d{1,9}\)$/.test(message) ? message.slice(0, message.indexOf(" ('")) : message

function describeProblem({ message, token }: Error & WithPosition): string {
  const text = withoutPosition(message)
  const problem = internalWords.test(text) ? 'unexpected character or end' : text
  return token === undefined ? problem : `${problem}, at character ${token.index + 1}`
}
