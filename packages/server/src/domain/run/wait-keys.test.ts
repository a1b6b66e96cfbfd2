import { expect, test } from 'vitest'
import { afterKey, approvalKey, askKey, gateKey, outcomeKey } from './wait-keys.ts'

// Answers are kept under these names for the life of a run: another spelling would lose them.
test('the names of waits', () => {
  expect([gateKey('0/a'), approvalKey('0/a'), afterKey('0/a')]).toEqual(['gate:0/a', 'approval:0/a', 'after:0/a'])
  expect([askKey('call_1', 'ab12'), outcomeKey('call_1', 2)]).toEqual(['ask:call_1:ab12', 'outcome:call_1:2'])
})
