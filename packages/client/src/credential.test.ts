import { expect, test, vi } from 'vitest'
import { authorizer } from './credential.ts'
import type { Fetch } from './fetch-layers.ts'

/** A service that accepts one token at a time. */
function serviceOf(valid: { token: string }) {
  const seen: (string | null)[] = []
  const fetch: Fetch = async (_input, init) => {
    const authorization = new Headers(init?.headers).get('authorization')
    seen.push(authorization)
    return new Response('{}', { status: authorization === `Bearer ${valid.token}` ? 200 : 401 })
  }
  return { fetch, seen }
}

test('a token is sent as it is, and a refusal is returned', async () => {
  const { fetch, seen } = serviceOf({ token: 'b' })
  expect((await authorizer({ token: 'a' })(fetch)('http://x')).status).toBe(401)
  expect(seen).toEqual(['Bearer a'])
})

test('the callback is called once, until its token is refused', async () => {
  const valid = { token: 'a' }
  const { fetch, seen } = serviceOf(valid)
  const renew = vi.fn(async () => valid.token)
  const send = authorizer({ token: renew })(fetch)
  expect((await send('http://x')).status).toBe(200)
  expect((await send('http://x')).status).toBe(200)
  valid.token = 'b'
  expect((await send('http://x', { method: 'POST', body: '{}' })).status).toBe(200)
  expect(renew).toHaveBeenCalledTimes(2)
  expect(seen).toEqual(['Bearer a', 'Bearer a', 'Bearer a', 'Bearer b'])
})

test('requests at the same time share a renewal', async () => {
  const valid = { token: 'a' }
  const { fetch } = serviceOf(valid)
  const renew = vi.fn(async () => valid.token)
  const send = authorizer({ token: renew })(fetch)
  await send('http://x')
  valid.token = 'b'
  const replies = await Promise.all(Array.from({ length: 10 }, () => send('http://x')))
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(renew).toHaveBeenCalledTimes(2)
})

test('calls and streams share a token', async () => {
  const { fetch } = serviceOf({ token: 'a' })
  const renew = vi.fn(async () => 'a')
  const authorize = authorizer({ token: renew })
  for (const send of [authorize(fetch), authorize(fetch)]) expect((await send('http://x')).status).toBe(200)
  expect(renew).toHaveBeenCalledTimes(1)
})

test('a token that is refused when it is new is not renewed again', async () => {
  const { fetch, seen } = serviceOf({ token: 'never' })
  const renew = vi.fn(() => 'a')
  expect((await authorizer({ token: renew })(fetch)('http://x')).status).toBe(401)
  expect(seen).toHaveLength(2)
  expect(renew).toHaveBeenCalledTimes(2)
})

test('a callback that fails is called again for the next request', async () => {
  const { fetch } = serviceOf({ token: 'a' })
  const renew = vi.fn(async () => 'a').mockRejectedValueOnce(new Error('offline'))
  const send = authorizer({ token: renew })(fetch)
  await expect(send('http://x')).rejects.toThrow('offline')
  expect((await send('http://x')).status).toBe(200)
})
