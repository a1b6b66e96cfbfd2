// One text per JSON value (after RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript
// prints them. Two bodies are the same request exactly when these texts are equal.

/** `value` must be JSON of bounded depth, as `parseStrictJson` returns it: the function recurses. */
export function canonicalJson(value: unknown): string {
  return canonical(value, 2)
}

/** Most values come with their keys in order, and the native writer does them at once; below the top it is worth a look. */
function canonical(value: unknown, looks: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (looks > 0 && isInOrder(value)) return JSON.stringify(value)
  return Array.isArray(value)
    ? canonicalArray(value, looks - 1)
    : canonicalObject(value as Record<string, unknown>, looks - 1)
}

function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isInOrder)
  const members = value as Record<string, unknown>
  const keys = Object.keys(members)
  for (let index = 1; index < keys.length; index += 1) {
    if ((keys[index] as string) < (keys[index - 1] as string)) return false
  }
  return keys.every((key) => isInOrder(members[key]))
}

function canonicalArray(items: readonly unknown[], looks: number): string {
  let text = '['
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ','
    text += canonical(items[index], looks)
  }
  return `${text}]`
}

function canonicalObject(members: Record<string, unknown>, looks: number): string {
  // The default order of `sort` is by UTF-16 code units; a locale's order would differ between hosts.
  const keys = Object.keys(members).sort()
  let text = '{'
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string
    if (index > 0) text += ','
    text += `${JSON.stringify(key)}:${canonical(members[key], looks)}`
  }
  return `${text}}`
}
