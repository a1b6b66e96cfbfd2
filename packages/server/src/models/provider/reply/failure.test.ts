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

test('a refusal without a message is reported by its status', () => {
  expect(describeFailure(refusal({ message: '', statusCode: 500 }), key).message).toBe('The provider answered 500.')
})

test.each([
  [network(new Error('connect ECONNREFUSED 127.0.0.1:1')), 'connect ECONNREFUSED 127.0.0.1:1'],
  [network(new Error('outer', { cause: new Error('other side closed') })), 'other side closed'],
  [network(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'ECONNREFUSED'],
])('case %#: a network failure names its root cause, and the call may be retried', (error, cause) => {
  const message = `The connection to the provider failed: ${cause}`
  expect(describeFailure(error, key)).toEqual({ reasonCode: 'provider_unavailable', message, retry: 'call' })
})

test.each([
  [{ message: 'overloaded', code: 'server_error' }, 'provider_unavailable', 'The provider answered 503: overloaded'],
  [{ message: 'busy', type: 'overloaded_error' }, 'provider_unavailable', 'The provider answered 503: busy'],
  [{ message: 'slow down', code: 429 }, 'provider_rate_limited', 'The provider answered 429: slow down'],
  [{ message: 'slow', type: 'rate_limit_error' }, 'provider_rate_limited', 'The provider answered 429: slow'],
  [{ message: 'slow', status: 'RESOURCE_EXHAUSTED' }, 'provider_rate_limited', 'The provider answered 429: slow'],
  [{}, 'provider_unavailable', 'The provider reported an error.'],
  [undefined, 'provider_unavailable', 'The provider reported an error.'],
])('an error in a stream, %j: %s', (error, reasonCode, message) => {
  expect(describeFailure(error, key)).toEqual({ reasonCode, message, retry: 'call' })
})

test.each([
  [{ message: 'odd', code: '400' }, 'The provider answered 400: odd'],
  [{ message: 'odd', type: 'invalid_request_error' }, 'The provider answered 400: odd'],
])('a refusal in a stream, %j, is permanent', (error, message) => {
  expect(describeFailure(error, key)).toEqual({ reasonCode: 'provider_error', message, retry: 'never' })
})

const said = (statusCode: number, error: object | string) =>
  refusal({ statusCode, responseBody: JSON.stringify({ error }) })

test.each([
  [429, { code: 'insufficient_quota', message: 'You exceeded your current quota.' }, 'provider_quota'],
  [400, 'Your credit balance is too low.', 'provider_quota'],
  [402, 'Pay first.', 'provider_quota'],
  [403, 'The monthly quota was exceeded.', 'provider_quota'],
  [403, 'No access.', 'provider_auth'],
  [401, 'Bad key.', 'provider_auth'],
  [400, { code: 'context_length_exceeded', message: 'Too much.' }, 'context_exceeded'],
  [400, 'This model has a maximum context length of 8192 tokens.', 'context_exceeded'],
  [413, 'prompt is too long: 210000 tokens > 200000 maximum', 'context_exceeded'],
  [404, 'The model `m` does not exist.', 'provider_error'],
])('%i %j is %s and permanent', (status, error, reasonCode) => {
  expect(describeFailure(said(status, error), key)).toMatchObject({ reasonCode, retry: 'never' })
})

test('a rate limit that mentions a quota per minute is transient', () => {
  const limited = said(429, 'Rate limit reached: quota of 60 requests per minute exceeded.')
  expect(describeFailure(limited, key)).toMatchObject({ reasonCode: 'provider_rate_limited', retry: 'call' })
})

test.each([
  [429, 2_000],
  [503, 2_000],
  [400, undefined],
])('%i with Retry-After: 2 asks to wait for %s ms', (statusCode, retryAfterMs) => {
  const failure = describeFailure(refusal({ statusCode, responseHeaders: { 'Retry-After': '2' } }), key)
  expect(failure.retryAfterMs).toBe(retryAfterMs)
})

test.each([
  [`key ${key} is wrong`, 'key *** is wrong'],
  ['header Bearer abc.def was sent', 'header Bearer *** was sent'],
  ['GET https://user:pass@host/v1 failed', 'GET https://***@host/v1 failed'],
  ['two\n\n  lines\0', 'two lines\uFFFD'],
  ['😀'.repeat(200), expect.stringMatching(/^(😀)+\uFFFD?…$/u)],
])('%j is reported without secrets, in one short line', (text, told) => {
  const { message } = describeFailure(refusal({ message: text }), key)
  expect(message.slice('The provider answered 400: '.length)).toEqual(told)
  expect(message.length).toBeLessThanOrEqual(301)
})
