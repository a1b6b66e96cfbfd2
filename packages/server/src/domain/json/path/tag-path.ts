// Tag paths: JSONPaths that start with `$.input` or `$.metadata`, parsed once, compared and applied.
import { rememberAnswers } from '../../remember-answers.ts'
import type { JsonLocation } from '../location.ts'
import { type PlacedValue, selectPlaces } from './select-places.ts'
import { parseSegments, type Segment } from './syntax.ts'
import type { TagWork } from './work-budget.ts'

export interface TagQuery {
  readonly segments: readonly Segment[]
  /** Equal for two spellings of one path, such as `$.input.a` and `$.input['a']`. */
  readonly canonical: string
}

export interface TaggedValue {
  readonly location: JsonLocation
  readonly value: unknown
}

/** Longer ones are refused: enough for 64 levels of names, too little for a bomb. */
export const maxTagPathLength = 1_024

// Our reading of "starts with": `$.inputs`, `$['input']` and `$ .input` do not.
const allowedStart = /^\$\.(?:input|metadata)(?=$|[.[])/

const readTagPath = rememberAnswers((path: string): TagQuery | null => {
  const segments = parseSegments(path)
  return segments === undefined ? null : { segments, canonical: JSON.stringify(segments) }
})

/** Undefined when the path is not acceptable. */
export function parseTagPath(path: string): TagQuery | undefined {
  if (path.length > maxTagPathLength || !allowedStart.test(path)) return undefined
  return readTagPath(path) ?? undefined
}

/** Every place the path selects in `{ input, metadata }`. Throws `TagWorkExceeded` when `work` is used up. */
export function selectTagged(query: TagQuery, document: unknown, work: TagWork): TaggedValue[] {
  return selectPlaces(query.segments, document, work).map((place) => ({ location: locate(place), value: place.value }))
}

function locate(place: PlacedValue): JsonLocation {
  const location: (string | number)[] = []
  for (let at = place; at.holder !== undefined; at = at.holder) location.push(at.part)
  return location.reverse()
}

const shorthandName = /^[A-Za-z_]\w*$/
const quoted = (name: string) => `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** The location as a JSONPath that selects exactly it: `$.input.users[0]['first name']`. */
export function formatTagPath(location: JsonLocation): string {
  const parts = location.map((part) => {
    if (typeof part === 'number') return `[${part}]`
    return shorthandName.test(part) ? `.${part}` : `[${quoted(part)}]`
  })
  return `$${parts.join('')}`
}
