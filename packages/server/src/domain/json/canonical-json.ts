// One text per JSON value (after RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript
// prints them. Two bodies are the same request exactly when these texts are equal.

/** What `JSON.stringify` made of some of the objects inside. */
export type Written = Pick<ReadonlyMap<unknown, string>, 'get'>

const nothing: Written = new Map()

/** `value` must be JSON of bounded depth, as `parseStrictJson` returns it: the function recurses. */
export function canonicalJson(value: unknown, written: Written = nothing): string {
  return canonical(value, 2, written)
}

/** Most values come with their keys in order, and the native writer does them at once; below the top it is worth a look. */
function canonical(value: unknown, looks: number, written: Written): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (looks > 0 && isInOrder(value)) return written.get(value) ?? JSON.stringify(value)
  return Array.isArray(value)
    ? canonicalArray(value, looks - 1, written)
    : canonicalObject(value as Record<string, unknown>, looks - 1, written)
}

function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isInOrder)
  const members = value as Record<string, unknown>
  let previous = ''
  for (const key of Object.keys(members)) {
    if (key < previous || !isInOrder(members[key])) return false
    previous = key
  }
  return true
}

function canonicalArray(items: readonly unknown[], looks: number, written: Written): string {
  let text = '['
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ','
    text += canonical(items[index], looks, written)
  }
  return `${text}]`
}

function canonicalObject(members: Record<string, unknown>, looks: number, written: Written): string {
  const keys = sorted(Object.keys(members))
  let text = '{'
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string
    if (index > 0) text += ','
    text += `${JSON.stringify(key)}:${canonical(members[key], looks, written)}`
  }
  return `${text}}`
}

/** By UTF-16 code units; a locale's order would differ between hosts. */
function sorted(keys: string[]): string[] {
  if (keys.length > few) return keys.sort()
  for (let next = 1; next < keys.length; next += 1) {
    const key = keys[next] as string
    let place = next
    for (; place > 0 && (keys[place - 1] as string) > key; place -= 1) keys[place] = keys[place - 1] as string
    keys[place] = key
  }
  return keys
}

/** So many are sorted sooner in place than `sort` is ready to begin. */
const few = 8
