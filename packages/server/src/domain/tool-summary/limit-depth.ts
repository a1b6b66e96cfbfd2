// Limits the depth of a value so that it can be walked and serialized: `JSON.parse` reads 200,000 levels, on which
// `JSON.stringify` overflows the stack.
import { isDeeper } from '../json/is-deeper.ts'

/** Deeper than any value that the service accepts or builds from templates. */
export const maxSummaryDepth = 256

const cutMark = '…'

/** Returns the value itself, or, if it nests deeper, a copy with "…" in place of the levels below. */
export function limitDepth(value: unknown): unknown {
  return isDeeper(value, maxSummaryDepth) ? cutBelow(value, maxSummaryDepth) : value
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return cutMark
  if (Array.isArray(value)) return value.map((item) => cutBelow(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutBelow(member, levels - 1)]))
}
