// Which places of a run's `input` and `metadata` are secret: what the tags select, and the sensitive keys that none does.
import type { Classification, Redaction, SensitivityTag } from '@runwright/contract'
import type { JsonLocation } from '../json/location.ts'
import { formatTagPath, parseTagPath, selectTagged, type TaggedValue, type TagQuery } from '../json/path/tag-path.ts'
import { maxTagWork } from '../json/path/work-budget.ts'
import { PlaceTree } from './place-tree.ts'
import { findSensitiveKeys } from './sensitive-keys.ts'

/** What tags and sensitive keys are looked up in. */
export interface TaggableDocument {
  readonly input: unknown
  readonly metadata: unknown
}

export interface TaggedLocation {
  /** From the document down: `['input', 'users', 0, 'password']`. */
  readonly location: JsonLocation
  /** The same as a JSONPath: `$.input.users[0].password`. */
  readonly path: string
  readonly value: unknown
  readonly classification: Classification
  readonly redaction: Redaction
}

type Hiding = Pick<TaggedLocation, 'classification' | 'redaction'>

/**
 * Every secret place, each once and none inside another: what lies in a hidden value is hidden with it. Of several tags
 * on one place the first gives the classification, and `drop` wins, which hides more. Takes tags that `checkSensitivity`
 * accepted for this document; without tags nothing is secret (a create without tags has no sensitive keys either).
 */
export function taggedLocations(
  document: TaggableDocument,
  tags: readonly SensitivityTag[] | undefined,
): TaggedLocation[] {
  if (tags === undefined || tags.length === 0) return []
  const secrets = new PlaceTree<TaggedLocation>()
  const work = { left: maxTagWork }
  for (const tag of tags) {
    for (const selected of selectTagged(acceptedQuery(tag), document, work)) hide(secrets, selected, readHiding(tag))
  }
  for (const location of findSensitiveKeys(document)) hideUntagged(secrets, document, location)
  return secrets.outermost()
}

/** A path that does not parse must stop everything: to skip it would show what it was meant to hide. */
function acceptedQuery(tag: SensitivityTag): TagQuery {
  const query = parseTagPath(tag.path)
  if (query === undefined) throw new Error('a sensitivity tag was never checked: its path does not parse')
  return query
}

const readHiding = (tag: SensitivityTag): Hiding => ({
  classification: tag.classification as Classification,
  redaction: tag.redaction ?? 'mask',
})

function hide(secrets: PlaceTree<TaggedLocation>, { location, value }: TaggedValue, hiding: Hiding): void {
  const place = secrets.grow(location)
  if (place.note === undefined) place.note = { location, path: formatTagPath(location), value, ...hiding }
  else if (hiding.redaction === 'drop') place.note = { ...place.note, redaction: 'drop' }
}

/** Changes nothing where a tag has been noted already. */
function hideUntagged(secrets: PlaceTree<TaggedLocation>, document: TaggableDocument, location: JsonLocation): void {
  const value = location.reduce<unknown>((holder, part) => (holder as Record<string | number, unknown>)[part], document)
  hide(secrets, { location, value }, { classification: 'credential', redaction: 'mask' })
}
