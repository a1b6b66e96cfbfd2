import { describe, expect, test } from 'vitest'
import { PatternIndex } from './pattern-index.ts'

/** A small alphabet gives many overlaps; the seed is fixed. */
function makeNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

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
    const index = new PatternIndex(patterns)
    const places = Array.from(text, () => '')
    for (const { start, pattern } of index.find(text) ?? []) places[start] = patterns[pattern] as string
    expect(places).toEqual(findSlowly(patterns, text))
    for (let end = 0; end <= 60; end += 1) {
      const cut = text.slice(0, end)
      const begun = Array.from(cut, (_, start) => cut.slice(start)).findIndex((rest) =>
        patterns.some((pattern) => pattern.length > rest.length && pattern.startsWith(rest)),
      )
      expect(index.findUnfinished(cut)).toBe(begun < 0 ? end : begun)
    }
  })
})

test('nothing is found in an empty text, in a short one, or with no patterns', () => {
  const index = new PatternIndex(['abcd'])
  for (const text of ['', 'a', 'abc']) expect(index.find(text)).toEqual([])
  expect(new PatternIndex([]).find('abcd')).toEqual([])
  expect(new PatternIndex([]).findUnfinished('abcd')).toBe(4)
})

test('a text made to cost much is given up, soon', () => {
  const index = new PatternIndex(['a'.repeat(200_000)])
  const start = performance.now()
  expect(index.find('a'.repeat(1_000_000))).toBeUndefined()
  expect(performance.now() - start).toBeLessThan(3_000)
})

test('many patterns with the same prefix cost no more than a few', () => {
  const patterns = Array.from({ length: 20_000 }, (_, n) => `2026-11-15T${String(n).padStart(8, '0')}`)
  const text = patterns.slice(0, 2_000).join(' ')
  const start = performance.now()
  expect(new PatternIndex(patterns).find(text)).toHaveLength(2_000)
  expect(performance.now() - start).toBeLessThan(1_000)
})

describe('case', () => {
  test('does not matter, unless the pattern is exact', () => {
    const index = new PatternIndex(['Hunter', 'aGVs', 'AGVSb'], (pattern) => pattern > 0)
    expect(index.find('hUNTER aGVs')).toEqual([
      { start: 0, end: 6, pattern: 0 },
      { start: 7, end: 11, pattern: 1 },
    ])
  })

  test('an exact pattern in another case does not hide a shorter match', () => {
    const index = new PatternIndex(['abcd', 'ABCDE'], (pattern) => pattern === 1)
    expect(index.find('abcde')).toEqual([{ start: 0, end: 4, pattern: 0 }])
    expect(index.find('ABCDE')).toEqual([{ start: 0, end: 5, pattern: 1 }])
  })
})
