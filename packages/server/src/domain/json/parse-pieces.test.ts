import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finish } from '../finish.ts'
import { parsePieces } from './parse-pieces.ts'

/** What is parsed, as text that shows the order of the keys; undefined if it is not JSON. */
function outcomeOf(parse: () => unknown): string | undefined {
  try {
    return JSON.stringify(parse())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function expectSame(text: string): void {
  const whole = outcomeOf(() => JSON.parse(text))
  for (const length of [0, 1, 2, 5, 20]) expect(outcomeOf(() => finish(parsePieces(text, length)))).toBe(whole)
}

describe('pieces of any length give what JSON.parse gives', () => {
  test.each([
    ['{"a":{"b":1,"c":[2,3]},"d":4}'],
    ['[[[1,2],[3,[4,5],6]],7,[[8]],9]'],
    ['{"b":1,"0":{"2":[1,2],"1":{"x":1,"y":2}},"a":[{},{"a":[]}]}'],
    ['{"a":{"x":1,"y":2},"b":1,"a":{"z":3,"w":4},"c":{"a":5,"a":6}}'],
    ['{"a,b":"c,\\"d","\\u0065[":["]}",{"}":"{"}]}'],
    ['{"__proto__":{"a":1,"b":2},"c":{"__proto__":[1,2]}}'],
    [' [ 1 , { "a" : [ ] , "b" : { } } , 2 ] '],
    ['"a,b"'],
    ['12'],
    ['null'],
  ])('%s', expectSame)

  test('whatever the value is', () => {
    const values = fc.json({ maxDepth: 5, noUnicodeString: false })
    fc.assert(fc.property(values, expectSame), { numRuns: 300 })
    const spaced = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, undefined, ' '))
    fc.assert(fc.property(spaced, expectSame), { numRuns: 300 })
  })
})

describe('what is not JSON is refused in pieces, too', () => {
  test.each([
    ['[1,2,]'],
    [`[1,2,${' '.repeat(3_000)}]`],
    ['{"a":1,}'],
    ['[1,,2]'],
    ['[,1]'],
    [`[${' '.repeat(30)},1]`],
    [`[1,${' '.repeat(30)},2]`],
    [`{"a":{${' '.repeat(30)},"b":1}}`],
    ['[1,2'],
    ['[1,2,'],
    ['[1,[2,3]'],
    ['{"a":[1,2}'],
    ['{"a":[1,{"b":2]}'],
    ['[1,2]]'],
    ['[1,2],3'],
    ['[1,2],[3,4]'],
    ['{"a":1,2}'],
    ['{"a":1,"b"}'],
    ['[1,"b":2]'],
    ['[1,"unfinished]'],
    ['[1,2}'],
    ['1,2'],
    [''],
  ])('%s', (text) => {
    expect(outcomeOf(() => JSON.parse(text))).toBeUndefined()
    expectSame(text)
  })

  test('whatever is changed in a text', () => {
    const marks = fc.constantFrom(...'[]{},:"\\ 1')
    const changed = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), marks, fc.boolean())
      .map(([text, at, mark, replaces]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + mark + text.slice(place + (replaces ? 1 : 0))
      })
    fc.assert(fc.property(changed, expectSame), { numRuns: 1_000 })
  })
})

test('a large text is parsed in many parts, a small one in one', () => {
  const text = JSON.stringify({ a: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n])) })
  let parts = 0
  for (const _ of parsePieces(text)) parts += 1
  expect(parts).toBe(Math.floor(text.length / 65_536))
  expect(parsePieces('{"a":1}').next()).toEqual({ done: true, value: { a: 1 } })
})
