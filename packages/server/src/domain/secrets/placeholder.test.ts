import { placeholderStart } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { findPlaceholders, findUnfinishedPlaceholder, parseLocation, placeholderFor } from './placeholder.ts'

const locations = [
  ['input', 'password'],
  ['input', 'users', 0, 'first name'],
  ['metadata', "it's", 'a"b\\c', 'ä\n'],
  ['input', 'a}}b{{c', '{{secret:$.input.x}}'],
]

test('a placeholder names one place by its canonical path', () => {
  expect(placeholderFor(['input', 'users', 0, 'pass word'])).toBe("{{secret:$.input.users[0]['pass word']}}")
})

test.each(locations)('%j is parsed back from its placeholder anywhere in a text', (...location) => {
  const [found, ...others] = findPlaceholders(`{{${placeholderFor(location)}}} and`)
  expect(others).toEqual([])
  expect(parseLocation(found?.path ?? '')).toEqual(location)
})

test('other spellings of a path name the same place', () => {
  expect(parseLocation(" $['input'].users[0]['password'] ")).toEqual(['input', 'users', 0, 'password'])
})

test.each(['', '$', 'password', '$.input.*', '$.input..a', '$.input[0,1]', '$.input[?@.a]', `$.${'a'.repeat(20_000)}`])(
  '%.20j names no one place',
  (path) => {
    expect(parseLocation(path) ?? []).toEqual([])
  },
)

describe('an unfinished placeholder at the end of a text', () => {
  const whole = placeholderFor(['input', 'password'])

  test('is held back wherever it is cut', () => {
    for (let length = 1; length < whole.length; length += 1)
      expect(findUnfinishedPlaceholder(`see ${whole.slice(0, length)}`)).toBe(4)
    expect(findUnfinishedPlaceholder(`see ${whole}`)).toBe(4 + whole.length)
  })

  test('is not reported when it can no longer become one', () => {
    for (const text of ['a {{input.x', '{{secrets', 'plain', `${placeholderStart}${'a'.repeat(20_000)}`])
      expect(findUnfinishedPlaceholder(text)).toBe(text.length)
  })
})
