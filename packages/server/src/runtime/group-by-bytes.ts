// Splits a list into groups of limited size, so that each group can be read at once.

interface GroupLimits<Item> {
  readonly bytesOf: (item: Item) => number
  readonly maxBytes: number
  readonly maxItems: number
}

/** Consecutive items, in order. An item that is too large is a group of its own. */
export function* groupByBytes<Item>(
  items: Iterable<Item>,
  { bytesOf, maxBytes, maxItems }: GroupLimits<Item>,
): Generator<Item[], void, undefined> {
  let group: Item[] = []
  let bytes = 0
  for (const item of items) {
    const isFull = bytes + bytesOf(item) > maxBytes || group.length === maxItems
    if (isFull && group.length > 0) {
      yield group
      group = []
      bytes = 0
    }
    group.push(item)
    bytes += bytesOf(item)
  }
  if (group.length > 0) yield group
}
