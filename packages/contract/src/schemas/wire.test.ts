import { expect, test } from 'vitest'
import { z } from 'zod'
import { jsonObject } from './wire.ts'

test('parsing returns the same object', () => {
  const given = { input: { a: 1, b: { c: [] } } }
  expect(z.strictObject({ input: jsonObject }).parse(given).input).toBe(given.input)
})

test.each([[undefined], [null], [[]], ['{}'], [1], [true]])('%j is not an object', (input) => {
  const issue = { code: 'invalid_type', expected: 'record', path: ['input'] }
  expect(z.strictObject({ input: jsonObject }).safeParse({ input }).error?.issues).toEqual([
    expect.objectContaining(issue),
  ])
})

test('a missing object is an error, unless it is optional', () => {
  expect(z.strictObject({ input: jsonObject }).safeParse({}).success).toBe(false)
  expect(z.strictObject({ input: jsonObject.optional() }).safeParse({}).success).toBe(true)
})
