// The secret locations of a run's `input` and `metadata`: what the tags select, and sensitive keys without a tag.
import type { Classification, JsonLocation, Redaction, SensitivityTag } from '@runwright/contract'
import { LocationTree } from './location-tree.ts'
import { findSensitiveKeys } from './sensitive-keys.ts'
import { formatTagPath, maxTagWork, parseTagPath, selectTagged, type TaggedValue, type TagQuery } from './tag-path.ts'

/** The document that tag paths select in. */
export interface TaggableDocument {
  readonly input: unknown
  readonly metadata: unknown
}

export interface TaggedLocation {
  /** For example `['input', 'users', 0, 'password']`. */
  readonly location: JsonLocation
  /** `location` as a JSONPath: `$.input.users[0].password`. */
  readonly path: string
  readonly value: unknown
  readonly classification: Classification
  readonly redaction: Redaction
  /** Who may receive the value from a model without approval, as in `allow` of a tag. */
  readonly allow: readonly string[]
}

type TagRule = Pick<TaggedLocation, 'classification' | 'redaction' | 'allow'>

/**
 * Every secret location, each once and none inside another: a hidden value hides everything in it. If several tags
 * select one location, the first one's classification holds, `drop` wins over `mask`, because it hides more, and a
 * receiver must be allowed by all of them. So must a receiver of a value that contains other tagged values. The tags
 * must have passed `checkSensitivity` for this document. Without tags there are no secrets: a create request without
 * tags is accepted only if it has no sensitive keys.
 */
export function taggedLocations(
  document: TaggableDocument,
  tags: readonly SensitivityTag[] | undefined,
): TaggedLocation[] {
  if (tags === undefined || tags.length === 0) return []
  const work = { left: maxTagWork }
  return hideSelected(
    document,
    tags.map((tag) => ({ tag, values: selectTagged(acceptedQuery(tag), document, work) })),
  )
}

/** A tag, and what its path selects. */
export interface Selection {
  readonly tag: SensitivityTag
  readonly values: readonly TaggedValue[]
}

/** As `taggedLocations`, for paths that were evaluated before. */
export function hideSelected(document: TaggableDocument, selections: readonly Selection[]): TaggedLocation[] {
  const secrets = new LocationTree<TaggedLocation>()
  for (const { tag, values } of selections) for (const value of values) hide(secrets, value, ruleOf(tag))
  for (const location of findSensitiveKeys(document)) hideUntagged(secrets, document, location)
  return outermost(secrets)
}

function outermost({ value, children }: LocationTree<TaggedLocation>): TaggedLocation[] {
  const inner = [...children.values()].flatMap(outermost)
  return value === undefined ? inner : [inner.reduce(allowedByBoth, value)]
}

const allowedByBoth = <Rule extends TagRule>(rule: Rule, { allow }: TagRule): Rule =>
  rule.allow.length === 0 ? rule : { ...rule, allow: rule.allow.filter((receiver) => allow.includes(receiver)) }

/** Throws if the path does not parse: to skip it would reveal what it was meant to hide. */
function acceptedQuery(tag: SensitivityTag): TagQuery {
  const query = parseTagPath(tag.path)
  if (query === undefined)
    throw new Error('the path of a sensitivity tag does not parse; it must pass checkSensitivity first')
  return query
}

const ruleOf = (tag: SensitivityTag): TagRule => ({
  classification: tag.classification as Classification,
  redaction: tag.redaction ?? 'mask',
  allow: tag.allow ?? [],
})

function hide(secrets: LocationTree<TaggedLocation>, { location, value }: TaggedValue, rule: TagRule): void {
  const node = secrets.ensure(location)
  if (node.value === undefined) node.value = { location, path: formatTagPath(location), value, ...rule }
  else {
    if (rule.redaction === 'drop') node.value = { ...node.value, redaction: 'drop' }
    node.value = allowedByBoth(node.value, rule)
  }
}

/** Does not change a location that a tag has already selected, alone or as a part of a value. */
function hideUntagged(secrets: LocationTree<TaggedLocation>, document: TaggableDocument, location: JsonLocation): void {
  if (isTagged(secrets, location)) return
  const value = location.reduce<unknown>((holder, part) => (holder as Record<string | number, unknown>)[part], document)
  hide(secrets, { location, value }, { classification: 'credential', redaction: 'mask', allow: [] })
}

function isTagged(secrets: LocationTree<TaggedLocation>, location: JsonLocation): boolean {
  let node: LocationTree<TaggedLocation> | undefined = secrets
  for (const part of location) {
    node = node?.children.get(part)
    if (node?.value !== undefined) return true
  }
  return false
}
