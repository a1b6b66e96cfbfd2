// Placeholders: what stands for a secret wherever a model or a plan speaks of it, such as `{{secret:$.input.password}}`.
import type { JsonLocation } from '../json/location.ts'
import { parseSegments, type Segment } from '../json/path/syntax.ts'
import { formatTagPath } from '../json/path/tag-path.ts'

export const placeholderStart = '{{secret:'

/** Braces in a name are written as escapes: the first `}}` is always the placeholder's end. */
export const placeholderFor = (location: JsonLocation): string =>
  `${placeholderStart}${formatTagPath(location).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d')}}}`

export interface Placeholder {
  readonly start: number
  readonly end: number
  /** As it stands there. */
  readonly path: string
}

const placeholder = /\{\{secret:([^{}]*)\}\}/g

export function findPlaceholders(text: string): Placeholder[] {
  if (!text.includes(placeholderStart)) return []
  return [...text.matchAll(placeholder)].map(({ index, 0: whole, 1: path = '' }) => ({
    start: index,
    end: index + whole.length,
    path,
  }))
}

/** Where an unfinished placeholder begins at the end of a text; the text's length when none does. */
export function findUnfinishedPlaceholder(text: string): number {
  const open = text.lastIndexOf('{{')
  if (open >= 0 && text.indexOf('}}', open) < 0 && couldBegin(text.slice(open))) return open
  return text.endsWith('{') ? text.length - 1 : text.length
}

// Longer than any path of an input: what goes on without an end is no placeholder.
const maxLength = 16_384

const couldBegin = (text: string): boolean =>
  text.length <= maxLength && (text.startsWith(placeholderStart) || placeholderStart.startsWith(text))

/** The one place that a path names, in any spelling; undefined when it names none or several. */
export function readPlace(path: string): JsonLocation | undefined {
  const segments = path.length > maxLength ? undefined : parseSegments(path.trim())
  const parts = segments?.map(partOf)
  return parts?.every((part) => part !== undefined) ? parts : undefined
}

function partOf({ descendant, selectors }: Segment): string | number | undefined {
  const [selector, ...others] = selectors
  if (descendant || others.length > 0) return undefined
  if (selector?.kind === 'name') return selector.name
  return selector?.kind === 'index' ? selector.index : undefined
}
