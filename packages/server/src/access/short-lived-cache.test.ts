import { expect, test } from 'vitest'
import { ShortLivedCache } from './short-lived-cache.ts'

const newCache = () => new ShortLivedCache<{ since: number }>({ maxEntries: 2, maxAgeMs: 10 })

test('an entry is used until its maximum age and not longer', () => {
  const cache = newCache()
  cache.set('a', { since: 100 })
  expect(cache.get('a', 110)).toEqual({ since: 100 })
  expect(cache.get('a', 110.5)).toBeUndefined()
})

test('a full cache evicts the oldest entry', () => {
  const cache = newCache()
  cache.set('a', { since: 1 })
  cache.set('b', { since: 2 })
  cache.set('a', { since: 3 })
  cache.set('c', { since: 4 })
  expect(cache.size).toBe(2)
  expect(cache.get('b', 4)).toBeUndefined()
  expect(cache.get('a', 4)).toEqual({ since: 3 })
})
