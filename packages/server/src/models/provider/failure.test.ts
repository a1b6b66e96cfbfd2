import { expect, test } from 'vitest'
import { describeFailure } from './failure.ts'

const key = 'sk-secret'
const refusal = (fields: object) => Object.assign(new Error('Bad Request'), { statusCode: 400, ...fields })
const network = (cause: Error) =>
  Object.assign(new Error('Cannot connect to API', { cause }), { name: 'AI_APICallError' })

test.each([
  ['{"error":{"message":"too long"}}', 'The provider answered 400: too long'],
  ['{"error":"model not found"}', 'The provider answered 400: model not found'],
  ['{"message":"no such route"}', 'The provider answered 400: no such route'],
  ['{"detail":"not here"}', 'The provider answered 400: not here'],
  ['{"detail":[{"loc":1}]}', 'The provider answered 400: Bad Request'],
  ['<html>', 'The provider answered 400: Bad Request'],
])('the body %s says what was wrong', (responseBody, message) => {
  expect(describeFailure(refusal({ responseBody }), key).message).toBe(message)
})

test('a refusal without a word is just its status', () => {
  expect(describeFailure(refusal({ message: '', statusCode: 500 }), key).message).toBe('The provider answered 500.')
})

test.each([
  [network(new Error('connect ECONNREFUSED 127.0.0.1:1')), 'connect ECONNREFUSED 127.0.0.1:1'],
  [network(new Error('outer', { cause: new Error('other side closed') })), 'other side closed'],
  [network(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'ECONNREFUSED'],
])('case %#: a network failure names its root cause and may be retried', (error, cause) => {
  const message = `The connection to the provider failed: ${cause}`
  expect(describeFailure(error, key)).toEqual({ reasonCode: 'provider_error', message, retryable: true })
})

test.each([
  [{ message: 'overloaded', code: 'server_error' }, 'The provider reported an error: overloaded', true],
  [{ message: 'slow down', code: 429 }, 'The provider answered 429: slow down', true],
  [{ message: 'too long', code: '400' }, 'The provider answered 400: too long', false],
  [{}, 'The provider reported an error.', true],
  [undefined, 'The provider reported an error.', true],
])('an error in a stream, %j', (error, message, retryable) => {
  expect(describeFailure(error, key)).toEqual({ reasonCode: 'provider_error', message, retryable })
})

test.each([
  [`key ${key} is wrong`, 'key *** is wrong'],
  ['header Bearer abc.def was sent', 'header Bearer *** was sent'],
  ['GET https://user:pass@host/v1 failed', 'GET https://***@host/v1 failed'],
  ['two\n\n  lines\0', 'two lines\uFFFD'],
  ['😀'.repeat(200), expect.stringMatching(/^(😀)+\uFFFD?…$/u)],
])('%j is told without secrets, in one short line', (text, told) => {
  const { message } = describeFailure(refusal({ message: text }), key)
  expect(message.slice('The provider answered 400: '.length)).toEqual(told)
  expect(message.length).toBeLessThanOrEqual(301)
})
