// What an error of the server says.
import { expect, test } from 'vitest'
import { violatedUnique } from './errors.ts'

const violation = (message: string, fields = {}) => Object.assign(new Error(message), { code: '23505', ...fields })

test.each([
  ['duplicate key value violates unique constraint "log_batches_pkey"', 'log_batches_pkey'],
  ['doppelter Schlüsselwert verletzt Unique-Constraint »log_batches_pkey«', 'log_batches_pkey'],
  ['la valeur d’une clé dupliquée rompt la contrainte unique « log_batches_pkey »', 'log_batches_pkey'],
  ['duplicate key', ''],
])('without a field, the name of the constraint is read from the message: %s', (message, name) => {
  expect(violatedUnique(violation(message))).toBe(name)
})

test('the field is preferred', () => {
  expect(violatedUnique(violation('"other"', { constraint: 'runs_idempotency' }))).toBe('runs_idempotency')
})

test('another error violates nothing', () => {
  expect(violatedUnique(Object.assign(new Error('"runs_pkey"'), { code: '23514' }))).toBeUndefined()
})
