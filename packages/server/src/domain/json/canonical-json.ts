// Canonical JSON (after RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript prints them.
// Two bodies are the same request exactly when their canonical texts are equal.

/** The output of `JSON.stringify` for some objects inside the value, so that they are not serialized twice. */
type Serialized = Pick<ReadonlyMap<unknown, string>, 'get'>

const none: Serialized = new Map()

/** How many levels, from the top, are checked for keys that are already sorted. */
const checkedLevels = 2

/** `value` must be JSON of bounded depth, as `parseStrictJson` returns it, because the function recurses. */
export function canonicalJson(value: unknown, serialized: Serialized = none): string {
  return canonical(value, checkedLevels, serialized)
}

/** Most values arrive with sorted keys, and `JSON.stringify` is much faster on those. */
function canonical(value: unknown, levels: number, serialized: Serialized): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (levels > 0 && isSorted(value)) return serialized.get(value) ?? JSON.stringify(value)
  if (Array.isArray(value) && value.every(isLeaf)) return JSON.stringify(value)
  return Array.isArray(value)
    ? canonicalArray(value, levels - 1, serialized)
    : canonicalObject(value as Record<string, unknown>, levels - 1, serialized)
}

/** An empty array or object counts as a leaf: it has nothing to sort. */
const isLeaf = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Array.isArray(value) ? value.length : Object.keys(value).length) === 0

function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isSorted)
  const members = value as Record<string, unknown>
  let previous = ''
  for (const key of Object.keys(members)) {
    if (key < previous || !isSorted(members[key])) return false
    previous = key
  }
  return true
}

function canonicalArray(items: readonly unknown[], levels: number, serialized: Serialized): string {
  let text = '['
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ','
    text += canonical(items[index], levels, serialized)
  }
  return `${text}]`
}

function canonicalObject(members: Record<string, unknown>, levels: number, serialized: Serialized): string {
  const keys = sortKeys(Object.keys(members))
  let text = '{'
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string
    if (index > 0) text += ','
    text += `${JSON.stringify(key)}:${canonical(members[key], levels, serialized)}`
  }
  return `${text}}`
}

/** Up to this many keys, an insertion sort is faster than `sort`. */
const maxInsertionSorted = 8

/** By UTF-16 code units; a locale's order would differ between hosts. */
function sortKeys(keys: string[]): string[] {
  if (keys.length > maxInsertionSorted) return keys.sort()
  for (let next = 1; next < keys.length; next += 1) {
    const key = keys[next] as string
    let at = next
    for (; at > 0 && (keys[at - 1] as string) > key; at -= 1) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}
