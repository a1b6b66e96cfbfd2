// A document with something else in the place of each of its secrets.

import { PlaceTree } from './place-tree.ts'
import type { TaggableDocument, TaggedLocation } from './tagged-locations.ts'

export const mask = '***'

type Replacement = (secret: TaggedLocation) => unknown

/** Copies what changes and shares the rest with the original, which stays as it is. */
export function replaceTagged(
  document: TaggableDocument,
  locations: readonly TaggedLocation[],
  replacement: Replacement,
): TaggableDocument {
  const secrets: Secrets = new PlaceTree()
  for (const secret of locations) secrets.grow(secret.location).note = secret
  return replaceBelow(document, secrets, replacement) as TaggableDocument
}

type Secrets = PlaceTree<TaggedLocation>

/** The value itself when nothing below it is secret. */
function replaceBelow(value: unknown, secrets: Secrets | undefined, replacement: Replacement): unknown {
  if (secrets?.note !== undefined) return replacement(secrets.note)
  if (secrets === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.map((item, index) => replaceBelow(item, secrets.branches.get(index), replacement))
  }
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([key, member]) => [key, replaceBelow(member, secrets.branches.get(key), replacement)]),
  )
}
