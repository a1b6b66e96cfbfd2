// The keywords of JSON Schema that are checked, by what their value is. All others are only told to the model, such as
// `description` and `format`, or `uniqueItems`, whose check takes quadratic time.

export type KeywordKind =
  /** A schema. */
  | 'schema'
  /** A list of schemas. */
  | 'list'
  /** Schemas by name. */
  | 'map'
  /** Schemas by pattern. */
  | 'patterns'
  | 'pattern'
  /** Anything else. */
  | 'value'

const byKind: Readonly<Record<KeywordKind, readonly string[]>> = {
  schema: [
    ...['additionalProperties', 'propertyNames', 'unevaluatedProperties', 'items', 'contains', 'unevaluatedItems'],
    ...['not', 'if', 'then', 'else'],
  ],
  list: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  map: ['properties', 'dependentSchemas', 'dependencies'],
  patterns: ['patternProperties'],
  pattern: ['pattern'],
  value: [
    ...['type', 'nullable', 'const', 'enum', 'required', 'dependentRequired', 'minProperties', 'maxProperties'],
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'],
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ],
}

export const schemaKeywords: ReadonlyMap<string, KeywordKind> = new Map(
  (Object.keys(byKind) as KeywordKind[]).flatMap((kind) => byKind[kind].map((keyword) => [keyword, kind] as const)),
)

/** References that may recurse. */
export const refusedKeywords: readonly string[] = ['$dynamicRef', '$recursiveRef']
