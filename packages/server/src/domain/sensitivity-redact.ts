// A document without its secrets: `mask` leaves "***", `drop` takes the key, or the array's element, away.
import type { TaggableDocument, TaggedLocation } from './sensitivity-locations.ts'
import { PlaceTree } from './sensitivity-tree.ts'

export const mask = '***'

export interface RedactedDocument {
  /** A tag on `$.input` or `$.metadata` itself can drop it whole. */
  readonly document: Partial<TaggableDocument>
  readonly redacted: boolean
}

/** Copies what changes and shares the rest with the original, which stays as it is. */
export function redactDocument(document: TaggableDocument, locations: readonly TaggedLocation[]): RedactedDocument {
  const secrets: Secrets = new PlaceTree()
  for (const secret of locations) secrets.grow(secret.location).note = secret
  const redacted = redactBelow(document, secrets)
  return { document: redacted as Partial<TaggableDocument>, redacted: redacted !== document }
}

type Secrets = PlaceTree<TaggedLocation>

/** The value itself when nothing below it is secret. */
function redactBelow(value: unknown, secrets: Secrets | undefined): unknown {
  if (secrets === undefined || typeof value !== 'object' || value === null) return value
  const kept: [string | number, unknown][] = []
  let changed = false
  for (const [part, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const branch = secrets.branches.get(part)
    const shown = branch?.note === undefined ? redactBelow(member, branch) : mask
    changed ||= branch?.note !== undefined || shown !== member
    if (branch?.note?.redaction !== 'drop') kept.push([part, shown])
  }
  if (!changed) return value
  return Array.isArray(value) ? kept.map(([, shown]) => shown) : Object.fromEntries(kept)
}
