import { maxJsonDepth } from '@runwright/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeStorable, maxOutputBytes } from './storable-output.ts'

const stored = (output: unknown) => {
  const storable = makeStorable(output)
  return storable.ok ? storable.value : `refused: ${storable.problem}`
}
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })

describe('keeps', () => {
  test('JSON as it is, in a copy', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }), (value) => {
        const copy = JSON.parse(JSON.stringify(value))
        expect(stored(value)).toEqual(copy)
        expect(JSON.stringify(stored(value))).toBe(JSON.stringify(copy))
      }),
    )
  })

  test.each([
    ['undefined as null', undefined, null],
    ['undefined members and elements as null', { a: undefined, b: [undefined, 1] }, { a: null, b: [null, 1] }],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what this is about
    ['holes as null', [1, , 2], [1, null, 2]],
    ['negative zero as zero', [-0], [0]],
    ['a date as its text', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['an address as its text', new URL('http://example.test/a'), 'http://example.test/a'],
    ['U+0000 as U+FFFD', { 'a\0': 'b\0c' }, { 'a\ufffd': 'b\ufffdc' }],
    ['lone surrogates as U+FFFD', ['\ud83d', '\ude00x', '😀'], ['\ufffd', '\ufffdx', '😀']],
    [
      'the members of an instance',
      new (class Price {
        amount = 5
      })(),
      { amount: 5 },
    ],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('%s', (_, output, value) => {
    expect(stored(output)).toStrictEqual(value)
  })

  test('a member named __proto__ as a member', () => {
    const copy = stored(JSON.parse('{"__proto__":{"admin":true}}'))
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}')
    expect((copy as Record<string, unknown>).admin).toBeUndefined()
  })

  test('the same object in two places', () => {
    const shared = { a: 1 }
    expect(stored([shared, shared])).toEqual([{ a: 1 }, { a: 1 }])
  })

  test('as many levels as may be stored', () => {
    expect(stored(nested(maxJsonDepth))).toEqual(nested(maxJsonDepth))
  })

  test('as many bytes as may be stored', () => {
    expect(stored('x'.repeat(maxOutputBytes - 2))).toHaveLength(maxOutputBytes - 2)
  })
})

describe('refuses', () => {
  const cyclic: Record<string, unknown> = { a: [] }
  cyclic.a = [{ b: cyclic }]

  test.each([
    ['a bigint', { a: [1n] }, 'output.a[0] is of type bigint, which is not JSON'],
    ['a function', { run: () => 1 }, 'output.run is of type function, which is not JSON'],
    ['a symbol', Symbol('s'), 'output is of type symbol, which is not JSON'],
    ['NaN', { 'odd key': Number.NaN }, 'output["odd key"] is not a finite number'],
    ['Infinity', [1, Number.NEGATIVE_INFINITY], 'output[1] is not a finite number'],
    ['a cycle', cyclic, 'output.a[0].b contains itself'],
    ['a Map', { a: new Map() }, 'output.a is of type Map, which is not JSON'],
    ['an error', new Error('secret'), 'output is of type Error, which is not JSON'],
    ['a promise', { a: Promise.resolve(1) }, 'output.a is of type Promise, which is not JSON'],
    ['binary data', { a: Buffer.from('abc') }, 'output.a is of type Uint8Array, which is not JSON'],
    ['too many levels', nested(maxJsonDepth + 1), `nests too deeply: at most ${maxJsonDepth} levels are allowed`],
    ['too many bytes', 'x'.repeat(maxOutputBytes - 1), 'its output is larger than 1048576 bytes of JSON'],
    ['too many bytes in UTF-8', 'é'.repeat(maxOutputBytes / 2), 'its output is larger than'],
    ['too many bytes once escaped', '"'.repeat(maxOutputBytes / 2), 'its output is larger than'],
    [
      'what cannot be read',
      Object.defineProperty({}, 'a', { enumerable: true, get: fail }),
      'its output could not be read',
    ],
  ])('%s', (_, output, problem) => {
    expect(makeStorable(output)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  test('more keys and values than can be handled in a moment', () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]))
    expect(stored(keys(49_999))).toMatchObject({ k1: 1 })
    expect(stored(keys(50_000))).toContain('has more than 100000 keys and values')
  })

  test('an output without end, soon', () => {
    const doubling = Array.from({ length: 60 }).reduce<unknown>((half) => [half, half], 1)
    expect(stored(doubling)).toContain('has more than 100000 keys and values')
    expect(stored(new Array(2 ** 32 - 1))).toContain('has more than 100000 keys and values')
    expect(stored('x'.repeat(2 ** 25))).toContain('larger than')
  })

  function fail(): never {
    throw new Error('not now')
  }
})
