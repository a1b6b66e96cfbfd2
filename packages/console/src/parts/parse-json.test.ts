import { expect, test } from 'vitest'
import { parseJson, parseJsonObject } from './parse-json.ts'

test.each([
  ['null', null],
  ['"text"', 'text'],
  [' {"a":[1,2.5]} ', { a: [1, 2.5] }],
  ['9007199254740991', 9_007_199_254_740_991],
])('%s is a value', (text, value) => {
  expect(parseJson(text)).toEqual({ value })
})

test('nothing is not a value', () => {
  expect(parseJson('  \n')).toEqual({ problem: 'Enter JSON.' })
})

test('invalid JSON is reported with the reason', () => {
  expect(parseJson('{"a":}')).toEqual({ problem: expect.stringMatching(/^This is not valid JSON: \S/) })
})

test('a number that would be rounded is refused at any depth', () => {
  expect(parseJson('{"a":[{"b":9007199254740993}]}')).toEqual({
    problem: 'A number is too large to be sent exactly. Enter it as a string.',
  })
})

test.each(['[]', 'null', '"text"', '1'])('%s is not an object', (text) => {
  expect(parseJsonObject(text)).toEqual({ problem: 'This must be a JSON object: { … }.' })
})

test('an object is one', () => {
  expect(parseJsonObject('{"a":1}')).toEqual({ value: { a: 1 } })
})
