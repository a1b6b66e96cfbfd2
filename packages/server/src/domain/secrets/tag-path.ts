// The paths of sensitivity tags: JSONPaths that start with `$.input` or `$.metadata`.
import { type JsonLocation, maxTagPathLength, tagPathStart } from '@runwright/contract'
import { type PathNode, selectNodes } from '../json/path/select-nodes.ts'
import { parseSegments, type Segment } from '../json/path/syntax.ts'
import type { WorkBudget } from '../json/path/work-budget.ts'
import { memoize } from '../memoize.ts'

export interface TagQuery {
  readonly segments: readonly Segment[]
  /** Equal for two spellings of one path, such as `$.input.a` and `$.input['a']`. */
  readonly canonical: string
}

export interface TaggedValue {
  readonly location: JsonLocation
  readonly value: unknown
}

/** Steps that all paths of one request may take together: about 30 ms, or 5 times `..name` on a full 256 KB. */
export const maxTagWork = 200_000

const parsePath = memoize((path: string): TagQuery | null => {
  const segments = parseSegments(path)
  return segments === undefined ? null : { segments, canonical: JSON.stringify(segments) }
})

/** In code points, as the published schema counts. */
const isTooLong = (path: string) => Array.from(path.slice(0, 2 * maxTagPathLength + 1)).length > maxTagPathLength

/** Undefined when the path is too long, not valid, or starts elsewhere. */
export function parseTagPath(path: string): TagQuery | undefined {
  if (isTooLong(path) || !tagPathStart.test(path)) return undefined
  return parsePath(path) ?? undefined
}

/** Everything the path selects in `{ input, metadata }`. Throws `WorkBudgetExceeded` when `work` is used up. */
export function selectTagged(query: TagQuery, document: unknown, work: WorkBudget): TaggedValue[] {
  return selectNodes(query.segments, document, work).map((node) => ({ location: locate(node), value: node.value }))
}

function locate(node: PathNode): JsonLocation {
  const location: (string | number)[] = []
  for (let at = node; at.parent !== undefined; at = at.parent) location.push(at.part)
  return location.reverse()
}

const shorthandName = /^[A-Za-z_]\w*$/
const quoted = (name: string) => `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** The JSONPath that selects exactly this location: `$.input.users[0]['first name']`. */
export function formatTagPath(location: JsonLocation): string {
  const parts = location.map((part) => {
    if (typeof part === 'number') return `[${part}]`
    return shorthandName.test(part) ? `.${part}` : `[${quoted(part)}]`
  })
  return `$${parts.join('')}`
}
