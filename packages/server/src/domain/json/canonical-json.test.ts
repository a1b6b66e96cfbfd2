import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

describe('canonicalJson', () => {
  test.each([
    ['sorts keys at every depth', '{"b":{"d":1,"c":[{"z":0,"y":0}]},"a":2}', '{"a":2,"b":{"c":[{"y":0,"z":0}],"d":1}}'],
    ['keeps the order of arrays', '[3,1,2]', '[3,1,2]'],
    ['drops white space', '{ "a" :\n[ 1 , 2 ] }', '{"a":[1,2]}'],
    ['sorts by code units, capitals first', '{"b":1,"a":2,"B":3}', '{"B":3,"a":2,"b":1}'],
    ['sorts keys that look like integers as text', '{"9":1,"10":2,"a":3}', '{"10":2,"9":1,"a":3}'],
    ['sorts an emoji before U+FB33', '{"\\ufb33":1,"\\ud83d\\ude00":2}', '{"😀":2,"\ufb33":1}'],
    [
      'writes one number in one way',
      '[1.0,1e0,10E-1,-0,0.0,1e21,1e20,0.000001]',
      '[1,1,1,0,0,1e+21,100000000000000000000,0.000001]',
    ],
    ['writes one string in one way', '"\\u0041\\/\\u000a\\u001f"', '"A/\\n\\u001f"'],
    ['keeps scalars', '[true,false,null,"",{}]', '[true,false,null,"",{}]'],
  ])('%s', (_, text, canonical) => {
    expect(canonicalJson(JSON.parse(text))).toBe(canonical)
  })

  test('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('does not depend on the order of keys, at any depth', () => {
    const reversed = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map(reversed)
      return Object.fromEntries(
        Object.entries(value)
          .map(([key, member]) => [key, reversed(member)] as const)
          .reverse(),
      )
    }
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      }),
    )
  })

  test('is the same whether or not parts of it were written before', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const written = new Map(Object.values(value).map((member) => [member, JSON.stringify(member)]))
        expect(canonicalJson(value, written)).toBe(canonicalJson(value))
      }),
    )
    const [input, metadata] = [
      { b: 1, a: 2 },
      { a: 1, b: 2 },
    ]
    const written = new Map([input, metadata].map((member) => [member, JSON.stringify(member)]))
    expect(canonicalJson({ metadata, input }, written)).toBe('{"input":{"a":2,"b":1},"metadata":{"a":1,"b":2}}')
  })

  test('uses text that was serialized before', () => {
    const member = { a: 1 }
    expect(canonicalJson({ z: 0, member }, new Map([[member, 'written']]))).toBe('{"member":written,"z":0}')
  })

  test('tells different values apart', () => {
    const texts = ['1', '"1"', '[1]', '{"1":1}', 'null', '""', '[]', '{}', '[[]]', '{"a":[]}', '{"a":{}}', 'true']
    expect(new Set(texts.map((text) => canonicalJson(JSON.parse(text)))).size).toBe(texts.length)
  })
})
