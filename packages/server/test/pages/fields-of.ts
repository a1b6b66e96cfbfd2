// The names and types of the fields of a JSON document, to compare an example in the docs with a real answer.

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `other` is what it will be compared with: where one has null or an empty list, the other may have anything. */
export function fieldsOf(value: unknown, other: unknown): unknown {
  if (value === null || other === null) return 'anything'
  if (Array.isArray(value)) {
    const [first] = value
    const [otherFirst] = Array.isArray(other) ? other : []
    return first === undefined || otherFirst === undefined ? 'list' : [fieldsOf(first, otherFirst)]
  }
  if (!isObject(value)) return typeof value
  const counterparts = isObject(other) ? other : {}
  return Object.fromEntries(Object.keys(value).map((name) => [name, fieldsOf(value[name], counterparts[name])]))
}
