// What an adapter makes of a provider's failures: the reason, whether to try again, and when.
import { afterEach, describe, expect, test } from 'vitest'
import { type Adapter, adapters, openAdapter } from '../support/adapters.ts'
import { type Delivery, type Failure, fail, type Reply, say } from '../support/providers/script.ts'

let close = async () => {}
afterEach(() => close())

async function outcomeOf(adapter: Adapter, reply: Reply, more: { silenceMs?: number } = {}) {
  const { provider, ask } = await openAdapter(adapter, [reply], more)
  close = () => provider.close()
  const outcome = await ask()
  expect(provider.refusals).toEqual([])
  return outcome
}

const failures: readonly (readonly [Failure, reasonCode: string, retry: string])[] = [
  ['rate_limited', 'provider_rate_limited', 'call'],
  ['overloaded', 'provider_unavailable', 'call'],
  ['server_error', 'provider_unavailable', 'call'],
  ['unavailable', 'provider_unavailable', 'call'],
  ['quota_spent', 'provider_quota', 'never'],
  ['wrong_key', 'provider_auth', 'never'],
  ['forbidden', 'provider_auth', 'never'],
  ['context_too_long', 'context_exceeded', 'never'],
  ['unknown_model', 'provider_error', 'never'],
  ['bad_request', 'provider_error', 'never'],
]

describe.each(adapters)('through %s', (adapter) => {
  test.each(failures)('%s is %s, retry %s, and free', async (failure, reasonCode, retry) => {
    const outcome = await outcomeOf(adapter, fail(failure))
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode, retry, usage: undefined })
  })

  // Errors of the request itself do not come once an answer has begun, and OpenAI's events do not tell them apart.
  const early: readonly Failure[] = [
    'unknown_model',
    'forbidden',
    ...(adapter === 'openai' ? ['bad_request' as const] : []),
  ]
  const streamed = failures.filter(([failure]) => !early.includes(failure))

  test.each(streamed)('%s as the first event of the stream is %s, retry %s', async (failure, reasonCode, retry) => {
    const errorAfterChunks = { chunks: 0, error: fail(failure) }
    const outcome = await outcomeOf(adapter, say('One two', { delivery: { errorAfterChunks } }))
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode, retry, text: '' })
  })

  test.each(streamed)(
    '%s in mid-stream is %s, retry %s, and what came is billed',
    async (failure, reasonCode, retry) => {
      const errorAfterChunks = { chunks: 1, error: fail(failure) }
      const outcome = await outcomeOf(adapter, say(['One ', 'two'], { delivery: { errorAfterChunks } }))
      expect(outcome).toMatchObject({ kind: 'failure', reasonCode, retry, text: 'One ', usage: expect.anything() })
    },
  )

  test('a wait that the provider asks for is kept', async () => {
    const outcome = await outcomeOf(adapter, fail('rate_limited', { retryAfter: 7 }))
    expect(outcome).toMatchObject({ reasonCode: 'provider_rate_limited', retryAfterMs: 7_000 })
  })

  test.each<[string, Delivery]>([
    ['breaks off', { cutAfterChunks: 1 }],
    ['breaks off before its end', { cutAfterChunks: 99 }],
    ['ends too early', { endAfterChunks: 1 }],
    ['ends without its end', { endAfterChunks: 99 }],
    ['is dropped', { dropConnection: true }],
    ['is silent', { hang: true }],
    ['falls silent', { silentAfterChunks: 1 }],
  ])('an answer that %s is not a reply, and is asked for again', async (_, delivery) => {
    const outcome = await outcomeOf(adapter, say(['One ', 'two'], { delivery }), { silenceMs: 400 })
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_unavailable', retry: 'call' })
  })
})

test('Google asks for a wait in the body too, and limits per minute and per day use the same words', async () => {
  const message = 'You exceeded your current quota, please check your plan and billing details.'
  const limited = (quotaId: string) =>
    fail('rate_limited', {
      body: {
        error: {
          code: 429,
          message,
          status: 'RESOURCE_EXHAUSTED',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37.5s' },
          ],
        },
      },
    })
  const minute = await outcomeOf('google', limited('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'))
  expect(minute).toMatchObject({ reasonCode: 'provider_rate_limited', retry: 'call', retryAfterMs: 37_500 })
  await close()
  const day = await outcomeOf('google', limited('GenerateRequestsPerDayPerProjectPerModel-FreeTier'))
  expect(day).toMatchObject({ reasonCode: 'provider_quota', retry: 'never' })
})
