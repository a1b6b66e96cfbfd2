// Keeps a value shallow enough to be walked and printed: `JSON.parse` reads 200,000 levels, `JSON.stringify` overflows.

/** More than any value that the service itself lets in or puts together from templates. */
export const maxSummedDepth = 256

const cutMark = '…'

/** The value itself unless it nests deeper; then a copy that has "…" in place of what lies below. */
export function limitDepth(value: unknown): unknown {
  return isDeeper(value, maxSummedDepth) ? cutBelow(value, maxSummedDepth) : value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return membersOf(value).some((member) => isDeeper(member, levels - 1))
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return cutMark
  if (Array.isArray(value)) return value.map((item) => cutBelow(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutBelow(member, levels - 1)]))
}

const membersOf = (value: object): readonly unknown[] => (Array.isArray(value) ? value : Object.values(value))
