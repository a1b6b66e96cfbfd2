// Caches the results of a pure function of short texts: the same keys and paths arrive with every request.

const maxEntries = 10_000
const maxKeyLength = 64

/**
 * Both limits keep hostile input from filling memory. A full cache is cleared, which costs less than tracking which
 * entry to evict. A result of undefined is not cached.
 */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>()
  return (text) => {
    if (text.length > maxKeyLength) return compute(text)
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    if (cache.size >= maxEntries) cache.clear()
    const result = compute(text)
    cache.set(text, result)
    return result
  }
}
