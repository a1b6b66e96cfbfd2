// What clients are told when the database does not answer, and when this process is too busy for it.
import { expect, test } from 'vitest'
import { blameProcess, DatabaseUnavailableError, PoolFullError } from '../../../store/postgres/errors.ts'
import { errorAnswer } from './error-answer.ts'

const answerTo = (error: unknown, databaseLost?: 'SIGNAL_SERVICE_UNAVAILABLE') => {
  const { status, headers, body } = errorAnswer(error, { requestId: 'req_1', databaseLost })
  return { status, reason: body.reason_code, message: body.message, ...headers }
}
const timeout = () => new Error('timeout exceeded when trying to connect')

test('a database that does not answer is unavailable', () => {
  expect(answerTo(new DatabaseUnavailableError(timeout()))).toMatchObject({
    status: 503,
    reason: 'DATABASE_UNAVAILABLE',
  })
  expect(answerTo(new DatabaseUnavailableError(timeout()), 'SIGNAL_SERVICE_UNAVAILABLE')).toMatchObject({ status: 500 })
})

test('a process without time for it is overloaded, whatever the route', () => {
  const error = new DatabaseUnavailableError(blameProcess(timeout()))
  for (const route of [undefined, 'SIGNAL_SERVICE_UNAVAILABLE'] as const) {
    expect(answerTo(error, route)).toEqual({
      status: 503,
      reason: 'OVERLOADED',
      message: 'The service is overloaded: it had no time for the database. Nothing was written. Try again.',
      'retry-after': '2',
    })
  }
})

test('what may have been written is said, also by a busy process', () => {
  const lost = blameProcess(new Error('Query read timeout'))
  for (const error of [lost, new DatabaseUnavailableError(lost, true)]) {
    expect(answerTo(error)).toMatchObject({ reason: 'DATABASE_UNAVAILABLE' })
  }
  expect(answerTo(new DatabaseUnavailableError(lost, true)).message).toContain('may have taken effect')
})

test.each([
  ['53100', 'disk of the database is full'],
  ['25006', 'database is read-only'],
])('a database that answers and refuses writes (%s) is named, whatever the route', (code, text) => {
  const refused = Object.assign(new Error('refused'), { code })
  for (const error of [refused, new DatabaseUnavailableError(refused)]) {
    for (const route of [undefined, 'SIGNAL_SERVICE_UNAVAILABLE'] as const) {
      expect(answerTo(error, route)).toMatchObject({
        status: 503,
        reason: 'DATABASE_UNAVAILABLE',
        message: expect.stringContaining(text),
      })
    }
  }
  expect(answerTo(new DatabaseUnavailableError(refused, true)).message).toContain('may have taken effect')
})

test('a wait for a free connection is said to be that, whatever the route', () => {
  for (const route of [undefined, 'SIGNAL_SERVICE_UNAVAILABLE'] as const) {
    expect(answerTo(new PoolFullError(timeout()), route)).toEqual({
      status: 503,
      reason: 'OVERLOADED',
      message:
        'The service is overloaded: no connection to the database was free in time. Nothing was written. Try again.',
      'retry-after': '2',
    })
  }
})
