// One text per JSON value (after RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript
// prints them. Two bodies are the same request exactly when these texts are equal.

/** `value` must be JSON of bounded depth, as `parseStrictJson` returns it: the function recurses. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Record<string, unknown>)
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '['
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ','
    text += canonicalJson(items[index])
  }
  return `${text}]`
}

function canonicalObject(members: Record<string, unknown>): string {
  // The default order of `sort` is by UTF-16 code units; a locale's order would differ between hosts.
  const keys = Object.keys(members).sort()
  let text = '{'
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string
    if (index > 0) text += ','
    text += `${JSON.stringify(key)}:${canonicalJson(members[key])}`
  }
  return `${text}}`
}
