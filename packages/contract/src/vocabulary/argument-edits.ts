// What a person changed in the arguments of a call, in few words: `amount 500 → 450`.
import { visibleText } from './visible-text.ts'

export interface Edits {
  readonly shown: readonly string[]
  /** Further changes that are not shown. */
  readonly more: number
}

const mostShown = 3
const longest = 40
/** Deeper values are compared as a whole. */
const deepest = 4

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text !== undefined && text.length <= longest ? visibleText(text) : undefined
}

const changed = (path: string, before: unknown, after: unknown): string => {
  const [from, to] = [textOf(before), textOf(after)]
  return from === undefined || to === undefined ? path : `${path} ${from || '“”'} → ${to || '“”'}`
}

function* editsIn(before: Fields, after: Fields, path: string, depth: number): Generator<string> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name], after[name]]
    const at = `${path}${visibleText(name)}`
    if (JSON.stringify(one) === JSON.stringify(other)) continue
    if (!Object.hasOwn(before, name)) yield `${at} added`
    else if (!Object.hasOwn(after, name)) yield `${at} removed`
    else if (isFields(one) && isFields(other) && depth < deepest) yield* editsIn(one, other, `${at}.`, depth + 1)
    else yield changed(at, one, other)
  }
}

export const editsOf = (before: unknown, after: unknown): Edits => {
  if (!isFields(before) || !isFields(after)) return { shown: [], more: 0 }
  const all = [...editsIn(before, after, '', 0)]
  return { shown: all.slice(0, mostShown), more: Math.max(0, all.length - mostShown) }
}

/** `edited amount 500 → 450, note and 2 more`; undefined if nothing differs that may be seen. */
export const editWords = (before: unknown, after: unknown): string | undefined => {
  const { shown, more } = editsOf(before, after)
  if (shown.length === 0) return undefined
  return `edited ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
