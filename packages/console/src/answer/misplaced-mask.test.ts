import { expect, test } from 'vitest'
import { misplacedMask } from './misplaced-mask.ts'

const shown = { to: { iban: '***', name: 'Ada' }, note: 'Pay *** by Monday', lines: ['***', 'two'], amount: 500 }

test.each<[string, unknown]>([
  ['unchanged', shown],
  ['another field is changed', { ...shown, amount: 450 }],
  ['a masked value is left out', { amount: 500 }],
  ['a masked value is entered again', { ...shown, to: { iban: 'DE-42' } }],
])('a mask that stays where it is shown is not misplaced: %s', (_name, edited) => {
  expect(misplacedMask(edited, shown)).toBeUndefined()
})

test.each<[string, unknown, string]>([
  ['in another field', { ...shown, account: '***' }, 'account'],
  ['deeper', { to: { iban: '***', bic: '***' } }, 'to.bic'],
  ['around it, the text is changed', { ...shown, note: 'Pay *** by Tuesday' }, 'note'],
  ['in another line', { ...shown, lines: ['two', '***'] }, 'lines.1'],
  ['in what every object has', { ...shown, constructor: '***' }, 'constructor'],
])('a mask anywhere else is: %s', (_name, edited, place) => {
  expect(misplacedMask(edited, shown)?.join('.')).toBe(place)
})

test('where nothing is masked, stars are text', () => {
  expect(misplacedMask({ note: '***Important***' }, { note: 'Important' })).toBeUndefined()
})
