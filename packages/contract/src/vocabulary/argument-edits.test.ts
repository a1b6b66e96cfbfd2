import { expect, test } from 'vitest'
import { editWords } from './argument-edits.ts'

test.each([
  [{ amount: 500 }, { amount: 450 }, 'edited amount 500 → 450'],
  [{ to: { name: 'Ada', city: 'Bonn' } }, { to: { name: 'Ada', city: '' } }, 'edited to.city Bonn → “”'],
  [{ note: 'x' }, { urgent: true }, 'edited note removed, urgent added'],
  [{ text: 'x'.repeat(100) }, { text: 'y' }, 'edited text'],
  [{ list: [1, 2] }, { list: [2, 1] }, 'edited list [1,2] → [2,1]'],
])('%j, then %j: %s', (before, after, words) => {
  expect(editWords(before, after)).toBe(words)
})

test('more than three changes are counted', () => {
  expect(editWords({ a: 1, b: 1, c: 1, d: 1, e: 1 }, { a: 2, b: 2, c: 2, d: 2, e: 2 })).toBe(
    'edited a 1 → 2, b 1 → 2, c 1 → 2 and 2 more',
  )
})

test('masked values that look alike, and the same arguments, are no change', () => {
  expect(editWords({ iban: '***' }, { iban: '***' })).toBeUndefined()
  expect(editWords(null, { a: 1 })).toBeUndefined()
})

test('what would be invisible in a value is visible', () => {
  expect(editWords({ to: 'ada' }, { to: 'ada\u202e' })).not.toContain('\u202e')
})
