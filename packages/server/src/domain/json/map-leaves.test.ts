import { describe, expect, test } from 'vitest'
import { gone, type Leaf, mapInParts, mapLeaves } from './map-leaves.ts'

const same = (key: string) => key
const shout = { leaf: (leaf: Leaf) => (typeof leaf === 'string' ? leaf.toUpperCase() : leaf), key: same }

function partsOf<Result>(work: Generator<void, Result>): { parts: number; result: Result } {
  for (let parts = 1; ; parts += 1) {
    const { done, value } = work.next()
    if (done) return { parts, result: value }
  }
}

test('leaves and keys are mapped, and those that are gone are left out', () => {
  const value = { a: ['x', 1, null, { b: 'drop me' }], c: 'drop me', d: ['drop me', 'y'] }
  const change = { leaf: (leaf: Leaf) => (leaf === 'drop me' ? gone : leaf), key: (key: string) => `${key}!` }
  expect(mapLeaves(value, change)).toEqual({ 'a!': ['x', 1, null, {}], 'd!': ['y'] })
})

test('what does not change is shared with the value, and the value is not modified', () => {
  const value = Object.freeze({ a: Object.freeze({ b: 1 }), c: Object.freeze(['x']), d: Object.freeze(['X']) })
  const mapped = mapLeaves(value, shout) as typeof value
  expect(mapped).toEqual({ a: { b: 1 }, c: ['X'], d: ['X'] })
  expect([mapped.a, mapped.d]).toEqual([value.a, value.d])
  expect(mapped.a).toBe(value.a)
  expect(mapped.d).toBe(value.d)
  expect(mapLeaves(mapped, shout)).toBe(mapped)
})

test('kept parts stay as they are', () => {
  const value = { id: 'x', list: [{ id: 'x', text: 'x' }], whole: ['x'] }
  expect(mapLeaves(value, shout, { id: true, list: { '*': { id: true } }, whole: { '*': true } })).toEqual({
    id: 'x',
    list: [{ id: 'x', text: 'X' }],
    whole: ['x'],
  })
  expect(mapLeaves(value, shout, true)).toBe(value)
})

test('a key that names the prototype is a key', () => {
  const value = JSON.parse('{"a":"x","__proto__":{"b":"y"},"c":"z"}')
  const mapped = mapLeaves(value, shout) as object
  expect(JSON.stringify(mapped)).toBe('{"a":"X","__proto__":{"b":"Y"},"c":"Z"}')
  expect(Object.getPrototypeOf(mapped)).toBe(Object.prototype)
})

describe('the parts of the work', () => {
  const list = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, n) => item(n))
  const values: [string, unknown][] = [
    ['numbers', list(100_000, (n) => n)],
    ['texts', list(100_000, (n) => `text ${n}`)],
    ['keys', Object.fromEntries(list(50_000, (n) => [`key ${n}`, 'x']))],
    ['keys whose last one changes', Object.fromEntries(list(50_000, (n) => [`key ${n}`, n === 49_999 ? 'x' : n]))],
    ['small objects', list(25_000, (n) => ({ a: n, b: 'x' }))],
    ['deep arrays', list(2_000, () => JSON.parse(`${'['.repeat(50)}"x"${']'.repeat(50)}`))],
    ['texts of 10,000 characters', list(100, () => 'x'.repeat(10_000))],
  ]

  test.each(values)('are small: %s', (_, value) => {
    let [leaves, most] = [0, 0]
    const count = {
      leaf: (leaf: Leaf) => {
        leaves += typeof leaf === 'string' ? 1 + leaf.length / 10 : 1
        return shout.leaf(leaf)
      },
      key: same,
    }
    for (const _part of mapInParts(value, count)) {
      most = Math.max(most, leaves)
      leaves = 0
    }
    expect(most).toBeGreaterThan(10)
    expect(Math.max(most, leaves)).toBeLessThan(3_000)
  })

  test('are one for a small value', () => {
    const { parts, result } = partsOf(mapInParts({ a: ['x', { b: 1 }] }, shout))
    expect([parts, result]).toEqual([1, { a: ['X', { b: 1 }] }])
  })

  test('prepare long texts and keys before they are mapped', () => {
    const long = 'x'.repeat(20_000)
    const log: string[] = []
    const note = (what: string, text: unknown) => log.push(`${what} ${String(text).length}`)
    const change = {
      leaf: (leaf: Leaf) => {
        note('leaf', leaf)
        return leaf
      },
      key: (key: string) => {
        note('key', key)
        return key
      },
      *prepare(text: string) {
        note('prepare', text)
        yield
      },
    }
    partsOf(mapInParts({ [`${long}y`]: [long, 'short'], z: 'short' }, change))
    expect(log).toEqual(['prepare 20000', 'leaf 20000', 'leaf 5', 'prepare 20001', 'key 20001', 'leaf 5', 'key 1'])
    log.length = 0
    partsOf(mapInParts(long, change))
    expect(log).toEqual(['prepare 20000', 'leaf 20000'])
  })
})
