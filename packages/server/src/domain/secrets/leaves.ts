// The leaves at or below tagged locations that other text is searched for.
import type { Redaction } from '@runwright/contract'
import type { JsonLocation } from '../json/location.ts'
import type { Leaf } from '../json/map-leaves.ts'
import { countForms } from './forms.ts'
import type { TaggedLocation } from './tagged-locations.ts'

export interface SecretLeaf {
  readonly location: JsonLocation
  /** What to search for; a number as JSON. */
  readonly text: string
  readonly redaction: Redaction
}

const minSearchedLength = 4

/**
 * Undefined for short values, booleans and null: they appear everywhere in text, so they are hidden only at their own
 * location.
 */
export function searchedText(leaf: Leaf): string | undefined {
  if (typeof leaf !== 'string' && typeof leaf !== 'number') return undefined
  const text = String(leaf)
  const isLong = text.length >= minSearchedLength * 2 || [...text].length >= minSearchedLength
  return isLong ? text : undefined
}

/** Each text once, with its first location. */
export const searchedLeaves = (locations: readonly TaggedLocation[]): SecretLeaf[] => [...distinctLeaves(locations)]

/** True when the leaves can be written in more than `most` forms. Stops as soon as that is known. */
export function exceedsForms(locations: readonly TaggedLocation[], most: number): boolean {
  let forms = 0
  for (const { text } of distinctLeaves(locations)) {
    forms += countForms(text)
    if (forms > most) return true
  }
  return false
}

function* distinctLeaves(locations: readonly TaggedLocation[]): Generator<SecretLeaf, void> {
  const texts = new Set<string>()
  for (const { location, value, redaction } of locations) {
    for (const [leafLocation, leaf] of leavesBelow(value, location)) {
      const text = searchedText(leaf)
      if (text === undefined || texts.has(text)) continue
      texts.add(text)
      yield { location: leafLocation, text, redaction }
    }
  }
}

function* leavesBelow(value: unknown, location: JsonLocation): Iterable<[JsonLocation, Leaf]> {
  if (typeof value !== 'object' || value === null) yield [location, value as Leaf]
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* leavesBelow(item, [...location, index])
  else for (const [key, member] of Object.entries(value)) yield* leavesBelow(member, [...location, key])
}
