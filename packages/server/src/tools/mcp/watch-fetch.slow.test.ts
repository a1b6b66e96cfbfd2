import { describe, expect, test } from 'vitest'
import { largestMessage } from './largest-message.ts'
import { type Fetch, watchFetch } from './watch-fetch.ts'

const { maxBytes, maxParts } = largestMessage

const url = 'http://127.0.0.1/mcp'
const withSession = { 'mcp-session-id': '1' }

function watched(answers: (() => Response)[]) {
  const losses: string[] = []
  const fetch = watchFetch((async () => answers.shift()?.()) as unknown as Fetch, (reason) => losses.push(reason))
  return { losses, ask: (init: RequestInit) => fetch(url, init) }
}
const answer =
  (status: number, body: string | null = null) =>
  () =>
    new Response(body, { status })
const fail = (error: Error) => (): Response => {
  throw error
}

test('a server that cannot be reached is lost', async () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const { ask, losses } = watched([fail(new TypeError('fetch failed', { cause }))])
  await expect(ask({ method: 'POST' })).rejects.toThrow('fetch failed')
  expect(losses).toEqual(['it cannot be reached: ECONNREFUSED'])
})

test('an aborted request is not a lost connection', async () => {
  const { ask, losses } = watched([fail(new Error('aborted'))])
  await expect(ask({ method: 'POST', signal: AbortSignal.abort() })).rejects.toThrow('aborted')
  expect(losses).toEqual([])
})

describe('a session', () => {
  const forgotten = ['its session expired']
  test.each([
    ['is lost by 404', 404, '', withSession, forgotten],
    ['is lost by 400 and a word about it', 400, 'Bad Request: No valid session ID provided', withSession, forgotten],
    ['is not lost by 400 for something else', 400, 'Invalid params', withSession, []],
    ['is not lost by an error of the server', 500, 'session', withSession, []],
    ['that never was is not lost', 404, '', {}, []],
  ])('%s', async (_, status, body, headers, expected) => {
    const { ask, losses } = watched([answer(status, body)])
    const response = await ask({ method: 'POST', headers })
    expect(losses).toEqual(expected)
    expect(await response.text()).toBe(body)
  })

  test('is not lost where there never was a stream to listen to', async () => {
    const { ask, losses } = watched([answer(404)])
    await ask({ method: 'GET', headers: withSession })
    expect(losses).toEqual([])
  })

  test('is lost when an open stream disappears', async () => {
    const { ask, losses } = watched([answer(200), answer(404)])
    await ask({ method: 'GET', headers: withSession })
    await ask({ method: 'GET', headers: withSession })
    expect(losses).toEqual(forgotten)
  })
})

test('a response is read up to the limit', async () => {
  const large = 'x'.repeat(maxBytes)
  const { ask, losses } = watched([answer(200, large), answer(200, `${large}\n`)])
  expect(await (await ask({ method: 'POST' })).text()).toHaveLength(maxBytes)
  expect(losses).toEqual([])
  await expect((await ask({ method: 'POST' })).text()).rejects.toThrow('more than')
  expect(losses).toEqual(['its response was too large'])
})

test('a response with too many keys and values to parse at once is too large', async () => {
  const { ask, losses } = watched([answer(200, `[${'1,'.repeat(maxParts)}1]`)])
  await expect((await ask({ method: 'POST' })).text()).rejects.toThrow(`more than ${maxParts} keys and values`)
  expect(losses).toEqual(['its response was too large'])
})

describe('a stream', () => {
  const stream = (text: string) => () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const half = 'x'.repeat(maxBytes / 2)

  test.each(['\n', '\r\n'])('is read without end as long as its messages have one (%j)', async (end) => {
    const text = `data: ${half}${end}data: y${end}${end}`.repeat(4)
    const { ask, losses } = watched([stream(text)])
    expect(await (await ask({ method: 'GET' })).text()).toBe(text.replaceAll('\r', ''))
    expect(losses).toEqual([])
  })

  test.each([
    ['one line', `data: ${half.repeat(3)}`],
    ['three lines', `data: ${half}\n`.repeat(3)],
    ['many lines', 'data: 0123456789012345678901234567890123456789\r\n'.repeat(300_000)],
    ['comments only', `:${half}\n`.repeat(3)],
    ['many values in many lines', `event: "\n${`data: [${'1,'.repeat(1_000)}\n`.repeat(100)}`],
  ])('is closed when a message is too large, with %s', async (_, text) => {
    const { ask, losses } = watched([stream(text)])
    await expect((await ask({ method: 'GET' })).text()).rejects.toThrow('more than')
    expect(losses).toEqual(['its response was too large'])
  })
})

test('an error is read up to a smaller limit', async () => {
  const { ask, losses } = watched([answer(500, 'x'.repeat(65_536)), answer(500, 'x'.repeat(65_537))])
  expect(await (await ask({ method: 'POST' })).text()).toHaveLength(65_536)
  await expect((await ask({ method: 'POST' })).text()).rejects.toThrow('more than')
  expect(losses).toEqual(['its response was too large'])
})

test('a limited answer keeps its status and headers', async () => {
  const { ask } = watched([() => Response.json({ a: 1 }, { status: 202, headers: { 'mcp-session-id': '7' } })])
  const response = await ask({ method: 'POST' })
  expect([response.status, response.headers.get('mcp-session-id')]).toEqual([202, '7'])
  expect(await response.json()).toEqual({ a: 1 })
})
