// The secrets of a document one by one: every leaf at or below a tagged place, and which of them text is searched for.
import type { Redaction } from '@runwright/contract'
import type { JsonLocation } from '../json/location.ts'
import type { Leaf } from '../json/map-leaves.ts'
import type { TaggedLocation } from './tagged-locations.ts'

export interface SecretLeaf {
  readonly location: JsonLocation
  /** As it is searched for: a number is its JSON. */
  readonly text: string
  readonly redaction: Redaction
}

const minSearchedLength = 4

/** Shorter values, booleans and null are hidden by their place only: in text they are everywhere. */
export function searchedText(leaf: Leaf): string | undefined {
  if (typeof leaf !== 'string' && typeof leaf !== 'number') return undefined
  const text = String(leaf)
  const isLong = text.length >= minSearchedLength * 2 || [...text].length >= minSearchedLength
  return isLong ? text : undefined
}

/** Each text once, with the first place that has it. */
export function searchedLeaves(locations: readonly TaggedLocation[]): SecretLeaf[] {
  const leaves = new Map<string, SecretLeaf>()
  for (const { location, value, redaction } of locations) {
    for (const [place, leaf] of leavesBelow(value, location)) {
      const text = searchedText(leaf)
      if (text !== undefined && !leaves.has(text)) leaves.set(text, { location: place, text, redaction })
    }
  }
  return [...leaves.values()]
}

function* leavesBelow(value: unknown, location: JsonLocation): Iterable<[JsonLocation, Leaf]> {
  if (typeof value !== 'object' || value === null) yield [location, value as Leaf]
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* leavesBelow(item, [...location, index])
  else for (const [key, member] of Object.entries(value)) yield* leavesBelow(member, [...location, key])
}
