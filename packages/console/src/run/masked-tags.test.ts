import { expect, test } from 'vitest'
import { tagsOfMasked } from './masked-tags.ts'

test('each masked value has a tag', () => {
  const input = { iban: '***', 'first name': '***', rows: [{ note: 'plain' }, { note: 'Dear ***,' }] }
  expect(tagsOfMasked({ input, metadata: { "it's": '***', count: 3 } }).map(({ path }) => path)).toEqual([
    '$.input.iban',
    '$.input["first name"]',
    '$.input.rows[1].note',
    '$.metadata["it\'s"]',
  ])
})

test('what nothing is masked in has no tags', () => {
  expect(tagsOfMasked({ input: { a: 'b' }, metadata: {} })).toEqual([])
})

test('more values than there can be tags are tagged as a whole', () => {
  const input = { rows: Array.from({ length: 101 }, () => '***') }
  expect(tagsOfMasked({ input, metadata: {} })).toEqual([{ path: '$.input', classification: 'pii' }])
})
