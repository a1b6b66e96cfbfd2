// What every wire format does alike: delivery, recording, gates.
import { afterEach, describe, expect, test } from 'vitest'
import { post } from './client.ts'
import { Gate } from './gate.ts'
import { type MockProvider, type ProviderFormat, providerFormats, startMockProvider } from './mock-provider.ts'
import { type Delivery, fail, type Script, say } from './script.ts'
import { smallestRequest } from './smallest-request.ts'

let provider: MockProvider
afterEach(() => provider.close())

describe.each(providerFormats)('%s', (format: ProviderFormat) => {
  async function start(script: Script) {
    provider = await startMockProvider(format, script)
  }
  const send = (stream: boolean, signal?: AbortSignal) =>
    post(provider, { ...smallestRequest(format, stream), ...(signal && { signal }) })
  const words = 'one two three'

  test.each([true, false])('a reply arrives, streamed: %s', async (stream) => {
    await start([say(words)])
    const { status, text } = await send(stream)
    expect(status).toBe(200)
    for (const word of words.split(' ')) expect(text).toContain(word)
    expect(provider.requests).toMatchObject([{ index: 0, stream, messages: [{ from: 'user', text: 'hello' }] }])
    expect(provider.refusals).toEqual([])
  })

  test.each([
    ['is cut in the middle', { cutAfterChunks: 1 }, ['one'], ['two']],
    ['is cut before the first word', { cutAfterChunks: 0 }, [], ['one']],
    ['is cut before the end', { cutAfterChunks: 99 }, ['one', 'two', 'three'], []],
  ] satisfies [string, Delivery, string[], string[]][])('a stream %s', async (_, delivery, sent, unsent) => {
    await start([say(words, { delivery })])
    const { path, headers, body } = smallestRequest(format, true)
    const response = await fetch(`${provider.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    let heard = ''
    const read = async () => {
      for await (const bytes of response.body ?? []) heard += Buffer.from(bytes).toString()
    }
    await expect(read()).rejects.toThrow('terminated')
    for (const word of sent) expect(heard).toContain(word)
    for (const word of unsent) expect(heard).not.toContain(word)
    expect(provider.aborts).toEqual([])
  })

  test('a plain answer is cut, too, and a connection closed before the first byte', async () => {
    await start([say(words, { delivery: { cutAfterChunks: 1 } }), say(words, { delivery: { dropConnection: true } })])
    await expect(send(false)).rejects.toThrow()
    await expect(send(false)).rejects.toThrow('fetch failed')
    expect(provider.aborts).toEqual([])
  })

  test.each([
    ['hangs before the first byte', { hang: true }],
    ['falls silent in mid-stream', { silentAfterChunks: 2 }],
    ['is held before the first byte', { hold: { afterChunks: 0, gate: new Gate() } }],
    ['is held in mid-stream', { hold: { afterChunks: 1, gate: new Gate() } }],
  ] satisfies [string, Delivery][])('an answer that %s ends when the client gives up', async (_, delivery) => {
    await start([say(words, { delivery })])
    const abort = new AbortController()
    const answer = send(true, abort.signal)
    const gaveUp = expect(answer).rejects.toThrow('aborted')
    expect(await provider.stalled(1)).toBe(await provider.received(1))
    expect(provider.openCalls).toBe(1)
    abort.abort()
    await gaveUp
    expect(await provider.aborted(1)).toBe(provider.requests[0])
    expect(provider.openCalls).toBe(0)
  })

  test('a client that gives up before a scripted cut has aborted', async () => {
    const gate = new Gate()
    await start([say(words, { delivery: { hold: { afterChunks: 1, gate }, cutAfterChunks: 2 } })])
    const abort = new AbortController()
    const gaveUp = expect(send(true, abort.signal)).rejects.toThrow('aborted')
    await gate.reached
    abort.abort()
    await gaveUp
    expect(await provider.aborted(1)).toBe(provider.requests[0])
  })

  test('an answer comes late, and piece by piece, as scripted', async () => {
    await start([say(words, { delivery: { delayMs: 40, chunkDelayMs: 20 } })])
    const asked = performance.now()
    await send(true)
    // Three words; a timer may fire a millisecond early.
    expect(performance.now() - asked).toBeGreaterThanOrEqual(40 + 3 * 20 - 4)
  })

  test('a late answer ends when the client gives up', async () => {
    await start([say(words, { delivery: { delayMs: 600_000 } })])
    const abort = new AbortController()
    const gaveUp = expect(send(true, abort.signal)).rejects.toThrow('aborted')
    await provider.received(1)
    abort.abort()
    await gaveUp
    await provider.aborted(1)
  })

  test('the world stops at a gate, before any answer or at an exact word', async () => {
    const gate = new Gate()
    await start([say(words), say(words, { delivery: { hold: { afterChunks: 2, gate } } })])
    const held = provider.hold()
    const first = send(true)
    await Promise.all([provider.received(1), held.reached])
    expect(provider.openCalls).toBe(1)
    held.release()
    expect((await first).text).toContain('three')
    const second = send(true)
    await gate.reached
    expect(provider.requests).toHaveLength(2)
    gate.release()
    expect((await second).text).toContain('three')
  })

  test('plain JSON where a stream was asked for, and a wrong content type', async () => {
    await start([
      say(words, { delivery: { plainJson: true } }),
      say(words, { delivery: { contentType: 'text/plain' } }),
    ])
    const plain = await send(true)
    expect(plain.headers.get('content-type')).toBe('application/json')
    expect(JSON.stringify(plain.json())).toContain(words)
    expect((await send(true)).headers.get('content-type')).toBe('text/plain')
  })

  test('an error inside the stream comes after the words before it', async () => {
    const errorAfterChunks = { chunks: 1, error: fail('overloaded', { message: 'Too busy.' }) }
    await start([say(words, { delivery: { errorAfterChunks } })])
    const { text } = await send(true)
    expect(text).toContain('one')
    expect(text).not.toContain('two')
    expect(text).toContain('Too busy.')
  })

  test('headers and bodies of a failure are sent as scripted', async () => {
    await start([
      fail('rate_limited', { headers: { 'retry-after-ms': '1500', 'x-ratelimit-reset-requests': '1s' } }),
      fail('server_error', { status: 502, body: '<html>Bad gateway</html>', delivery: { contentType: 'text/html' } }),
    ])
    const limited = await send(true)
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after-ms')).toBe('1500')
    expect(limited.headers.get('x-ratelimit-reset-requests')).toBe('1s')
    expect(await send(true)).toMatchObject({ status: 502, text: '<html>Bad gateway</html>' })
  })

  test('a script may be a function of the request, and one that throws is a refusal', async () => {
    await start(({ index, messages }) => {
      if (index === 1) throw new Error('not expected')
      return say(`You said ${messages[0]?.text}.`)
    })
    expect((await send(false)).text).toContain('You said hello.')
    expect((await send(false)).status).toBe(400)
    expect(provider.refusals).toMatchObject([{ message: expect.stringContaining('not expected') }])
  })

  test('a request after the end of the script is refused', async () => {
    await start([])
    expect((await send(false)).status).toBe(400)
    expect(provider.refusals).toMatchObject([{ message: "The mock's script ends before request 0." }])
  })

  test('connections are counted', async () => {
    await start([say(words)])
    expect(provider.openConnections).toBe(0)
    const held = provider.hold()
    const answer = send(false)
    await held.reached
    expect(provider.openConnections).toBe(1)
    held.release()
    await answer
  })
})
