import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'

test.each([{}, { status: 'failed' }, { workspace_id: 'a/b?c=d&e#f ü', q: '"1"' }])(
  '%j survives a round trip',
  (search) => {
    expect(parseSearch(stringifySearch(search))).toEqual(search)
  },
)

test('values are written as plain text, and empty ones are left out', () => {
  expect(stringifySearch({ awaiting_input: true, limit: 5, status: undefined, q: '' })).toBe(
    '?awaiting_input=true&limit=5',
  )
})

test('nothing is written for an empty search', () => {
  expect(stringifySearch({})).toBe('')
})
