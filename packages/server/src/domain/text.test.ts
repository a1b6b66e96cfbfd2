import { shortenText } from '@runwright/contract'
import { expect, test } from 'vitest'

test('a text that fits stays as it is', () => {
  expect(shortenText('abc', 3)).toBe('abc')
})

test('a text that is cut says how many characters are missing, and ends in an ellipsis', () => {
  expect(shortenText('x'.repeat(2_000), 240)).toBe(`${'x'.repeat(240)} (1,760 more characters)…`)
})

test('characters are counted as people count them', () => {
  expect(shortenText('😀😀😀', 1)).toBe('😀 (2 more characters)…')
})
