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

function mapItems(items: readonly unknown[], change: LeafChange, kept: Kept | undefined): unknown {
  const mapped = items.map((item) => mapLeaves(item, change, kept))
  if (mapped.every((item, index) => item === items[index])) return items
  return mapped.filter((item) => item !== gone)
}

function mapMembers(members: object, change: LeafChange, kept: Exclude<Kept, true> | undefined): unknown {
  let isChanged = false
  const mapped: [string, unknown][] = []
  for (const [key, member] of Object.entries(members)) {
    const newMember = mapLeaves(member, change, kept?.[key])
    const newKey = kept?.[key] === undefined ? change.key(key) : key
    isChanged ||= newMember !== member || newKey !== key
    if (newMember !== gone) mapped.push([newKey, newMember])
  }
  return isChanged ? Object.fromEntries(mapped) : members
}
