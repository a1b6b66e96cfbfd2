// The leaves at or below tagged locations that other text is searched for.
import type { JsonLocation, Redaction } from '@runwright/contract'
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
export function searchedLeaves(locations: readonly TaggedLocation[]): SecretLeaf[] {
  const found: SecretLeaf[] = []
  findLeaves(locations, (leaf) => {
    found.push(leaf)
    return true
  })
  return found
}

/** True when the leaves can be written in more than `most` forms. Stops as soon as that is known. */
export function exceedsForms(locations: readonly TaggedLocation[], most: number): boolean {
  let forms = 0
  return !findLeaves(locations, ({ text }) => {
    forms += countForms(text)
    return forms <= most
  })
}

/** Returns whether it goes on. */
type Take<Found> = (found: Found) => boolean

/** False if it was stopped. */
function findLeaves(locations: readonly TaggedLocation[], take: Take<SecretLeaf>): boolean {
  const texts = new Set<string>()
  return locations.every(({ location, value, redaction }) => {
    const place = [...location]
    return visitLeaves(value, place, (leaf) => {
      const text = searchedText(leaf)
      if (text === undefined || texts.has(text)) return true
      texts.add(text)
      return take({ location: [...place], text, redaction })
    })
  })
}

/** `place` is that of the leaf during each visit. Not a generator: one inside the other, for each level, is slow. */
function visitLeaves(value: unknown, place: (string | number)[], visit: Take<Leaf>): boolean {
  if (typeof value !== 'object' || value === null) return visit(value as Leaf)
  const visitAt = (part: string | number, member: unknown): boolean => {
    place.push(part)
    const goesOn = visitLeaves(member, place, visit)
    place.pop()
    return goesOn
  }
  if (Array.isArray(value)) return value.every((item, index) => visitAt(index, item))
  return Object.keys(value).every((key) => visitAt(key, (value as Record<string, unknown>)[key]))
}
