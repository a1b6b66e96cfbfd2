// Replaces each secret of a document.
import { LocationTree } from './location-tree.ts'
import type { TaggableDocument, TaggedLocation } from './tagged-locations.ts'

type Replacement = (secret: TaggedLocation) => unknown

/** Copies what changes and shares the rest with the original, which is not modified. */
export function replaceTagged(
  document: TaggableDocument,
  locations: readonly TaggedLocation[],
  replacement: Replacement,
): TaggableDocument {
  const secrets: Secrets = new LocationTree()
  for (const secret of locations) secrets.ensure(secret.location).value = secret
  return replaceBelow(document, secrets, replacement) as TaggableDocument
}

type Secrets = LocationTree<TaggedLocation>

/** Returns the value itself when it contains no secret. */
function replaceBelow(value: unknown, secrets: Secrets | undefined, replacement: Replacement): unknown {
  if (secrets?.value !== undefined) return replacement(secrets.value)
  if (secrets === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.map((item, index) => replaceBelow(item, secrets.children.get(index), replacement))
  }
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([key, member]) => [key, replaceBelow(member, secrets.children.get(key), replacement)]),
  )
}
