// Whether the items of an edited list are those that were shown, in their order. Only then do the sensitive values of
// the list belong to the items in whose place they are: a list that got shorter, or another order, would give them to
// the wrong ones.
//
// An item with a sensitive value may be changed while it can be recognized: it keeps more of the values that no other
// item has than it takes over from other items. All items are counted once, so a long list takes no longer than its
// JSON.
import { isDeepStrictEqual } from 'node:util'
import { mask } from '../../domain/secrets/mask.ts'

interface Lists {
  readonly edited: readonly unknown[]
  /** With masks in place of sensitive values, or without those. */
  readonly shown: readonly unknown[]
  readonly own: readonly unknown[]
}

export function keepsItems({ edited, shown, own }: Lists): boolean {
  if (edited.length !== shown.length || own.length !== shown.length) return false
  const values = new Values()
  for (const item of shown) values.add(item)
  return edited.every((item, index) => {
    const before = shown[index]
    if (isDeepStrictEqual(item, before) || isDeepStrictEqual(before, own[index])) return true
    return recognition(item, before, values) > 0
  })
}

/** How many items have which value in the same place. */
class Values {
  readonly #members = new Map<string, Values>()
  readonly #counts = new Map<unknown, number>()

  add(value: unknown): void {
    if (!isHolder(value)) this.#counts.set(value, this.count(value) + 1)
    else for (const [name, member] of Object.entries(value)) this.#ensure(name).add(member)
  }

  count(value: unknown): number {
    return this.#counts.get(value) ?? 0
  }

  at(name: string): Values | undefined {
    return this.#members.get(name)
  }

  #ensure(name: string): Values {
    const known = this.#members.get(name) ?? new Values()
    this.#members.set(name, known)
    return known
  }
}

/** The values that the item keeps and no other has, less those that it takes over from others. */
function recognition(item: unknown, before: unknown, values: Values | undefined): number {
  if (isHolder(item))
    return Object.entries(item).reduce(
      (sum, [name, member]) => sum + recognition(member, memberOf(before, name), values?.at(name)),
      0,
    )
  if (isMasked(item)) return 0
  const count = values?.count(item) ?? 0
  if (item === before) return count === 1 ? 1 : 0
  return count === 0 ? 0 : -1
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null

const isMasked = (leaf: unknown): boolean => typeof leaf === 'string' && leaf.includes(mask)

const memberOf = (holder: unknown, name: string): unknown =>
  isHolder(holder) && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined
