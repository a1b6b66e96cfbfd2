// Placeholders such as `{{secret:$.input.password}}`, which models and plans see in place of a secret.
import { type JsonLocation, placeholderStart } from '@runwright/contract'
import { parseSegments, type Segment } from '../json/path/syntax.ts'
import { formatTagPath } from './tag-path.ts'

/** Braces in a name are escaped, so that the first `}}` is always the end of the placeholder. */
export const placeholderFor = (location: JsonLocation): string =>
  `${placeholderStart}${formatTagPath(location).replaceAll('{', '\\u007b').replaceAll('}', '\\u007d')}}}`

export interface Placeholder {
  readonly start: number
  readonly end: number
  /** As written in the text. */
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

/** The start of an incomplete placeholder at the end of the text; the text's length when there is none. */
export function findUnfinishedPlaceholder(text: string): number {
  const open = text.lastIndexOf('{{')
  if (open >= 0 && text.indexOf('}}', open) < 0 && mayBePlaceholder(text.slice(open))) return open
  return text.endsWith('{') ? text.length - 1 : text.length
}

// Longer than any path in an input. Text that goes on longer without `}}` is not a placeholder.
const maxLength = 16_384

const mayBePlaceholder = (text: string): boolean =>
  text.length <= maxLength && (text.startsWith(placeholderStart) || placeholderStart.startsWith(text))

/** The single location that a path selects, in any spelling; undefined when it can select several or is not valid. */
export function parseLocation(path: string): JsonLocation | undefined {
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
