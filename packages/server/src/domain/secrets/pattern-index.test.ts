import { describe, expect, test } from 'vitest'
import { type Pattern, PatternIndex } from './pattern-index.ts'

/** A small alphabet gives many overlaps; the seed is fixed. */
function makeNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const work = () => ({ left: 100_000 })
/** Half of them are computed when their heads were found. */
const toPattern = (text: string, index: number): Pattern =>
  index % 2 === 0 ? { head: text } : { head: text.slice(0, 5), whole: () => text, minLength: 4 }

const makeText = (next: (below: number) => number, length: number) =>
  Array.from({ length }, () => 'ab'.charAt(next(2))).join('')

function findSlowly(patterns: readonly string[], text: string): string[] {
  return Array.from(text, (_, start) => {
    const here = patterns.filter((pattern) => text.startsWith(pattern, start))
    return here.sort((a, b) => b.length - a.length)[0] ?? ''
  })
}

describe('against the slow and obvious way', () => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed))('case %i', (seed) => {
    const next = makeNumbers(seed)
    const patterns = [...new Set(Array.from({ length: 12 }, () => makeText(next, 4 + next(7))))]
    const text = makeText(next, 200)
    const index = new PatternIndex(patterns.map(toPattern))
    const places = Array.from(text, () => '')
    for (const { start, pattern } of index.find(text, work()) ?? []) places[start] = patterns[pattern] as string
    expect(places).toEqual(findSlowly(patterns, text))
    for (let end = 0; end <= 60; end += 1) {
      const cut = text.slice(0, end)
      const begun = Array.from(cut, (_, start) => cut.slice(start)).findIndex((rest) =>
        patterns.some((pattern) => pattern.length > rest.length && pattern.startsWith(rest)),
      )
      expect(index.findUnfinished(cut, work())).toBe(begun < 0 ? end : begun)
    }
  })
})

test('nothing is found in an empty text, in a short one, or with no patterns', () => {
  const index = new PatternIndex([{ head: 'abcd' }])
  for (const text of ['', 'a', 'abc']) expect(index.find(text, work())).toEqual([])
  expect(new PatternIndex([]).find('abcd', work())).toEqual([])
  expect(new PatternIndex([]).findUnfinished('abcd', work())).toBe(4)
})

test('a pattern is computed once, and only if its head is in a text that is long enough', () => {
  let computed = 0
  const whole = () => {
    computed += 1
    return 'abcdefgh'
  }
  const index = new PatternIndex([{ head: 'abcd', whole, minLength: 8 }])
  expect([...(index.find('abc-', work()) ?? []), ...(index.find('-abcdefg', work()) ?? [])]).toEqual([])
  expect(computed).toBe(0)
  const left = work()
  expect(index.find('abcdefgh abcdefgh', left)).toHaveLength(2)
  expect(computed).toBe(1)
  expect(left.left).toBeLessThan(100_000 - 8 * 20)
})

test('a text made to cost much is given up', () => {
  const index = new PatternIndex([{ head: 'a'.repeat(32), whole: () => 'a'.repeat(200_000) }])
  const left = { left: 10_000_000 }
  expect(index.find('a'.repeat(1_000_000), left)).toBeUndefined()
  expect(left.left).toBeGreaterThan(-1_000_000)
})

test('many patterns with the same prefix cost no more than a few', () => {
  const patterns = Array.from({ length: 20_000 }, (_, n) => `2026-11-15T${String(n).padStart(8, '0')}`)
  const text = patterns.slice(0, 2_000).join(' ')
  const left = { left: 2_000 * 20 * 20 + 2_000 * 500 }
  expect(new PatternIndex(patterns.map((head) => ({ head }))).find(text, left)).toHaveLength(2_000)
})
