import { RunwrightError } from '@runwright/client'
import { expect, test } from 'vitest'
import { explainError } from './explain-error.ts'

test("an answer keeps the service's sentence, reason and request id", () => {
  const details = { status: 403, reasonCode: 'SCOPE_DENIED', requestId: 'req_1' }
  expect(explainError(new RunwrightError('The key lacks the scope runs:read.', details))).toEqual({
    title: 'This key has no permission',
    message: 'The key lacks the scope runs:read.',
    reasonCode: 'SCOPE_DENIED',
    requestId: 'req_1',
  })
})

test('no response has a different title than an error response', () => {
  expect(explainError(new RunwrightError('Failed to fetch')).title).toBe('No response from the service')
})

test('a status that the service never returns is shown', () => {
  expect(explainError(new RunwrightError('Bad gateway', { status: 502 })).title).toBe('Unexpected response (HTTP 502)')
})

test('an error of the console is not attributed to the service', () => {
  expect(explainError(new TypeError('x is undefined')).title).toBe('The console failed')
})
