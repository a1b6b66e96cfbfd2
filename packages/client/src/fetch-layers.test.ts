import { describe, expect, test } from 'vitest'
import { answer, startServer } from '../test/protocol-server.ts'
import { RunwrightError } from './error.ts'
import { type Fetch, withApiKey, withRetries, withWholeResponse } from './fetch-layers.ts'

const policy = { maxRetries: 3, initialDelayMs: 1, maxDelayMs: 4 }
const url = 'http://localhost/v1/runs'

/** Returns the given outcomes one after another, and repeats the last one. */
const scripted = (...outcomes: (number | Error | Response)[]) => {
  const calls: RequestInit[] = []
  const fetch: Fetch = async (_input, init) => {
    const outcome = outcomes[Math.min(calls.length, outcomes.length - 1)]
    calls.push(init ?? {})
    if (outcome instanceof Error) throw outcome
    return outcome instanceof Response ? outcome.clone() : new Response('{}', { status: outcome ?? 200 })
  }
  return { fetch, calls }
}

describe('retries', () => {
  test.each([429, 500, 502, 503, 504])('continue after %d', async (status) => {
    const { fetch, calls } = scripted(status, status, 200)
    expect((await withRetries(fetch, policy)(url)).status).toBe(200)
    expect(calls).toHaveLength(3)
  })

  test.each([200, 201, 400, 401, 403, 404, 409])('end with %d', async (status) => {
    const { fetch, calls } = scripted(status)
    expect((await withRetries(fetch, policy)(url)).status).toBe(status)
    expect(calls).toHaveLength(1)
  })

  test('continue after a network error', async () => {
    const { fetch, calls } = scripted(new TypeError('connection refused'), 200)
    expect((await withRetries(fetch, policy)(url)).status).toBe(200)
    expect(calls).toHaveLength(2)
  })

  test('return the last response', async () => {
    const { fetch, calls } = scripted(503)
    expect((await withRetries(fetch, policy)(url)).status).toBe(503)
    expect(calls).toHaveLength(4)
  })

  test('throw an error with the last failure', async () => {
    const cause = new TypeError('connection refused')
    const failing = withRetries(scripted(cause).fetch, policy)(url)
    await expect(failing).rejects.toThrow(RunwrightError)
    await expect(failing).rejects.toMatchObject({ status: undefined, cause, message: /connection refused/ })
  })

  test('do not wait for a Retry-After that is too long', async () => {
    const { fetch, calls } = scripted(new Response('{}', { status: 429, headers: { 'retry-after': '3600' } }))
    expect((await withRetries(fetch, policy)(url)).status).toBe(429)
    expect(calls).toHaveLength(1)
  })

  test.each([
    ['POST without a key', 1, { method: 'POST' }],
    ['POST with a key', 4, { method: 'POST', headers: { 'idempotency-key': 'k' } }],
    ['DELETE', 4, { method: 'DELETE' }],
    ['GET', 4, { method: 'GET' }],
  ])('%s: %d attempts', async (_case, attempts, init) => {
    const { fetch, calls } = scripted(503)
    await withRetries(fetch, policy)(url, init)
    expect(calls).toEqual(Array.from({ length: attempts }, () => init))
  })

  test('stop when the caller aborts during the delay', async () => {
    const controller = new AbortController()
    const { fetch, calls } = scripted(503)
    const slow = { ...policy, initialDelayMs: 60_000, maxDelayMs: 60_000 }
    const waiting = withRetries(fetch, slow)(url, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(calls).toHaveLength(1)
  })

  test('rethrow the abort reason of the caller', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    const { fetch, calls } = scripted(new Error('aborted'))
    await expect(withRetries(fetch, policy)(url, { method: 'POST', signal })).rejects.toThrow('enough')
    expect(calls).toHaveLength(1)
  })
})

describe('whole responses', () => {
  test('a truncated response fails like no response', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"half":', () => response.destroy())
    })
    await expect(withWholeResponse(fetch, 5_000)(server.url)).rejects.toThrow()
  })

  test('a response that takes too long fails', async () => {
    const server = await startServer((_request, response) => response.writeHead(200).write('{"half":'))
    const { signal } = new AbortController()
    await expect(withWholeResponse(fetch, 50)(server.url)).rejects.toMatchObject({ name: 'TimeoutError' })
    await expect(withWholeResponse(fetch, 50)(server.url, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a redirect of which a browser says nothing stays as it is', async () => {
    const hidden = Response.error()
    expect(await withWholeResponse(async () => hidden, 5_000)(url)).toBe(hidden)
  })

  test('a response in time is complete, with status and headers', async () => {
    const server = await startServer((_request, response) => answer(response, 201, { a: 1 }, { 'x-request-id': 'r' }))
    const response = await withWholeResponse(fetch, 5_000)(server.url)
    expect([response.status, response.headers.get('x-request-id'), await response.json()]).toEqual([201, 'r', { a: 1 }])
  })
})

test('the key is sent with every request, and the function is called each time', async () => {
  const { fetch, calls } = scripted(200)
  const keys = ['key_1:a', 'key_1:b']
  const authorized = withApiKey(fetch, async () => keys.shift() ?? '')
  await authorized(url, { headers: { accept: 'x' } })
  await authorized(url)
  const sent = calls.map(({ headers }) => Object.fromEntries(new Headers(headers)))
  expect(sent).toEqual([{ accept: 'x', authorization: 'Bearer key_1:a' }, { authorization: 'Bearer key_1:b' }])
})
