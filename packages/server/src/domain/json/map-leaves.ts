// Maps the leaves and keys of a JSON value; unchanged parts are shared with the original.

export type Leaf = string | number | boolean | null

/** `LeafChange.leaf` returns it to remove the leaf, together with its key or array element. */
export const gone = Symbol('gone')

interface LeafChange {
  leaf(leaf: Leaf): unknown
  key(key: string): string
}

/** The parts that stay unchanged: `true` for a whole value, or a tree by key; `*` is every element of an array. */
export type Kept = true | { readonly [part: string]: Kept }

/** `value` must be JSON of bounded depth. Returns `value` itself when nothing changed. */
export function mapLeaves(value: unknown, change: LeafChange, kept?: Kept): unknown {
  if (kept === true) return value
  if (typeof value !== 'object' || value === null) return change.leaf(value as Leaf)
  return Array.isArray(value) ? mapItems(value, change, kept?.['*']) : mapMembers(value, change, kept)
}

/** A copy begins with the first change: most values have none, and large ones take long to copy. */
function mapItems(items: readonly unknown[], change: LeafChange, kept: Kept | undefined): unknown {
  let mapped: unknown[] | undefined
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]
    const newItem = mapLeaves(item, change, kept)
    if (newItem !== item) mapped ??= items.slice(0, index)
    if (newItem !== gone) mapped?.push(newItem)
  }
  return mapped ?? items
}

function mapMembers(members: object, change: LeafChange, kept: Exclude<Kept, true> | undefined): unknown {
  const from = members as Readonly<Record<string, unknown>>
  const keys = Object.keys(from)
  let mapped: [string, unknown][] | undefined
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string
    const member = from[key]
    const newMember = mapLeaves(member, change, kept?.[key])
    const newKey = kept?.[key] === undefined ? change.key(key) : key
    if (newMember !== member || newKey !== key) mapped ??= keys.slice(0, index).map((before) => [before, from[before]])
    if (newMember !== gone) mapped?.push([newKey, newMember])
  }
  return mapped ? Object.fromEntries(mapped) : members
}
