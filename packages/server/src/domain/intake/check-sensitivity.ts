// Checks the sensitivity tags of a create request. The order of the checks decides which error a client gets.
import {
  type Classification,
  classifications,
  maxSecretForms,
  maxTaggedValues,
  maxTagPathLength,
  type SensitivityTag,
  showLocation,
} from '@runwright/contract'
import { WorkBudgetExceeded } from '../json/path/work-budget.ts'
import { exceedsForms } from '../secrets/leaves.ts'
import { findSensitiveKeys } from '../secrets/sensitive-keys.ts'
import { maxTagWork, parseTagPath, selectTagged, type TaggedValue, type TagQuery } from '../secrets/tag-path.ts'
import { hideSelected, type TaggableDocument, type TaggedLocation } from '../secrets/tagged-locations.ts'
import { ServiceError } from '../service-error.ts'

/** Returns the locations of the secrets. */
export function checkSensitivity(
  document: TaggableDocument,
  tags: readonly SensitivityTag[] = [],
): readonly TaggedLocation[] {
  if (tags.length > 0) return checkTags(tags, document)
  refuseSensitiveKeys(document)
  return []
}

function checkTags(tags: readonly SensitivityTag[], document: TaggableDocument): readonly TaggedLocation[] {
  const queries = tags.map((tag, index) => readPath(tag.path, index))
  const selections = evaluate(queries, document)
  for (const [index, tag] of tags.entries()) checkClassification(tag.classification, index)
  checkDuplicates(queries)
  const locations = hideSelected(
    document,
    tags.map((tag, index) => ({ tag, values: selections[index] ?? [] })),
  )
  limitSecrets(locations)
  return locations
}

// Messages do not repeat a path: a filter in it may contain the secret itself.
function readPath(path: string, index: number): TagQuery {
  const query = parseTagPath(path)
  if (query !== undefined) return query
  throw new ServiceError(
    'INPUT_SENSITIVITY_TAG_INVALID_PATH',
    `sensitivity_tags[${index}].path must be an RFC 9535 JSONPath of at most ${maxTagPathLength} characters that starts with $.input or $.metadata; the functions match and search are not supported.`,
  )
}

/** Rejects expensive paths at create time, so that the engine never has to evaluate one. */
function evaluate(queries: readonly TagQuery[], document: TaggableDocument): TaggedValue[][] {
  const work = { left: maxTagWork }
  return queries.map((query, index) => {
    try {
      return selectTagged(query, document, work)
    } catch (error) {
      if (!(error instanceof WorkBudgetExceeded)) throw error
      throw new ServiceError(
        'INPUT_SENSITIVITY_TAG_INVALID_PATH',
        `sensitivity_tags[${index}].path takes too much work to evaluate; use fewer wildcards, descendant segments (..) and filters.`,
      )
    }
  })
}

/** Everything that leaves the run is searched for every form of every secret, so their number is limited. */
function limitSecrets(locations: readonly TaggedLocation[]): void {
  if (locations.length > maxTaggedValues)
    throw new ServiceError(
      'INPUT_PAYLOAD_INVALID',
      `sensitivity_tags and sensitive keys select ${locations.length} values; at most ${maxTaggedValues} are allowed. Tag the object or array that contains them.`,
    )
  if (exceedsForms(locations, maxSecretForms))
    throw new ServiceError(
      'INPUT_PAYLOAD_INVALID',
      `The tagged values contain too many different texts: they can be written in more than ${maxSecretForms} ways (JSON, URL and base64 encodings), which would all be searched for. Tag fewer values, or send them as one text.`,
    )
}

function checkClassification(word: string, index: number): void {
  if (classifications.includes(word as Classification)) return
  throw new ServiceError(
    'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION',
    `sensitivity_tags[${index}].classification must be one of ${classifications.join(', ')}.`,
  )
}

function checkDuplicates(queries: readonly TagQuery[]): void {
  const firstUses = new Map<string, number>()
  for (const [index, { canonical }] of queries.entries()) {
    const first = firstUses.get(canonical)
    if (first !== undefined)
      throw new ServiceError(
        'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH',
        `sensitivity_tags[${index}].path is a duplicate of sensitivity_tags[${first}].path.`,
      )
    firstUses.set(canonical, index)
  }
}

const maxNamed = 3

function refuseSensitiveKeys(document: TaggableDocument): void {
  const found = findSensitiveKeys(document, maxNamed + 1)
  if (found.length === 0) return
  const named = found.slice(0, maxNamed).map(showLocation).join(', ')
  throw new ServiceError(
    'INPUT_SENSITIVITY_TAG_REQUIRED',
    `sensitivity_tags is required because the body has sensitive keys: ${named}${found.length > maxNamed ? ' and others' : ''}.`,
  )
}
