// Maps the leaves and keys of a JSON value; unchanged parts are shared with the original.
import { finish } from '../finish.ts'
import { setMember } from './set-member.ts'

export type Leaf = string | number | boolean | null

/** `LeafChange.leaf` returns it to remove the leaf, together with its key or array element. */
export const gone = Symbol('gone')

interface LeafChange {
  leaf(leaf: Leaf): unknown
  key(key: string): string
  /** Prepares the change of a long text or key. Yields where the work can be interrupted. */
  readonly prepare?: (text: string) => Generator<void, void>
}

/** The parts that stay unchanged: `true` for a whole value, or a tree by key; `*` is every element of an array. */
export type Kept = true | { readonly [part: string]: Kept }

/** `value` must be JSON of bounded depth. Returns `value` itself when nothing changed. */
export const mapLeaves = (value: unknown, change: LeafChange, kept?: Kept): unknown =>
  finish(mapInParts(value, change, kept))

/** As `mapLeaves`. Yields where the work can be interrupted. */
export function* mapInParts(value: unknown, change: LeafChange, kept?: Kept): Generator<void, unknown> {
  if (kept === true) return value
  return isLarge(value) ? yield* new LeafMap(change).map(value, kept) : change.leaf(value as Leaf)
}

/** How many characters are mapped before the work can be interrupted. A key or value counts as some more. */
const charactersAtOnce = 16_384
const charactersPerPart = 16

/** What is not mapped at once. */
type Large = object | string

const isLong = (text: string): boolean => text.length > charactersAtOnce

const isLarge = (value: unknown): value is Large =>
  typeof value === 'string' ? isLong(value) : typeof value === 'object' && value !== null

type KeptParts = Exclude<Kept, true> | undefined

class LeafMap {
  readonly #change: LeafChange
  #left = charactersAtOnce

  constructor(change: LeafChange) {
    this.#change = change
  }

  map(value: Large, kept: KeptParts): Generator<void, unknown> {
    if (typeof value === 'string') return this.#mapLongText(value)
    return Array.isArray(value) ? this.#mapItems(value, kept?.['*']) : this.#mapMembers(value, kept)
  }

  *#mapLongText(text: string): Generator<void, unknown> {
    yield* this.#prepare(text)
    return this.#change.leaf(text)
  }

  *#prepare(text: string): Generator<void, void> {
    yield
    if (this.#change.prepare) yield* this.#change.prepare(text)
  }

  /** A copy begins with the first change: most values have none. A generator for each leaf would take long. */
  *#mapItems(items: readonly unknown[], kept: Kept | undefined): Generator<void, unknown> {
    if (kept === true) return items
    let mapped: unknown[] | undefined
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index]
      const newItem = isLarge(item) ? yield* this.map(item, kept) : this.#change.leaf(item as Leaf)
      if (newItem !== item) mapped ??= items.slice(0, index)
      if (newItem !== gone) mapped?.push(newItem)
      if (this.#isPartOver(item)) yield
    }
    return mapped ?? items
  }

  *#mapMembers(members: object, kept: KeptParts): Generator<void, unknown> {
    const from = members as Readonly<Record<string, unknown>>
    const keys = Object.keys(from)
    let mapped: Record<string, unknown> | undefined
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string
      const member = from[key]
      const keptMember = kept?.[key]
      let newMember = member
      if (keptMember !== true)
        newMember = isLarge(member) ? yield* this.map(member, keptMember) : this.#change.leaf(member as Leaf)
      if (isLong(key)) yield* this.#prepare(key)
      const newKey = keptMember === undefined ? this.#change.key(key) : key
      if (newMember !== member || newKey !== key) mapped ??= yield* this.#copy(from, keys.slice(0, index))
      if (mapped && newMember !== gone) setMember(mapped, newKey, newMember)
      if (this.#isPartOver(key) || this.#isPartOver(member)) yield
    }
    return mapped ?? members
  }

  *#copy(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Generator<void, Record<string, unknown>> {
    const copy: Record<string, unknown> = {}
    for (const key of keys) {
      setMember(copy, key, from[key])
      if (this.#isPartOver(key)) yield
    }
    return copy
  }

  #isPartOver(part: unknown): boolean {
    this.#left -= charactersPerPart + (typeof part === 'string' ? part.length : 0)
    if (this.#left > 0) return false
    this.#left = charactersAtOnce
    return true
  }
}
