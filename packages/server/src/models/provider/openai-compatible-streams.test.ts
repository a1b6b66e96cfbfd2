// What servers do that a well-behaved mock would not: answers written by hand, byte by byte.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelRequest } from '../port/model.ts'
import { largestReply } from './incoming-reply.ts'
import { openAiCompatibleModel } from './openai-compatible.ts'

type Answer = (response: ServerResponse) => void

let answerNext: Answer
const server = createServer((request, response) => request.resume().on('end', () => answerNext(response)))

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

async function ask(answer: Answer, asked: Partial<ModelRequest> = {}) {
  answerNext = answer
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const model = await openAiCompatibleModel({ name: 'm', model: 'm', server: { baseUrl, apiKey: undefined } })
  const heard: string[] = []
  const outcome = await model.respond({
    role: 'worker',
    messages: [{ from: 'user', text: 'hello' }],
    tools: [],
    outputSchema: undefined,
    maxOutputTokens: undefined,
    signal: new AbortController().signal,
    onText: (text) => void heard.push(text),
    rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
    ...asked,
  })
  return { heard, outcome }
}

const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const delta = (content: string) => event({ choices: [{ delta: { content } }] })
const finish = (reason = 'stop') => event({ choices: [{ delta: {}, finish_reason: reason }] }) + event('[DONE]')

const stream =
  (...events: string[]): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''))

/** The client hangs up, or the test never ends. */
function untilClosed(begin: Answer): { answer: Answer; closed: Promise<void> } {
  let answer: Answer = begin
  const closed = new Promise<void>((resolve) => {
    answer = (response) => begin(response.on('close', resolve))
  })
  return { answer, closed }
}

describe('a reply', () => {
  test('without usage from the server has no tokens', async () => {
    const { outcome } = await ask(stream(delta('hi'), finish()))
    expect(outcome).toMatchObject({ kind: 'reply', text: 'hi', tokens: undefined })
  })

  test('a total larger than its parts is believed', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 }
    const { outcome } = await ask(stream(delta('hi'), event({ choices: [], usage }), finish()))
    expect(outcome).toMatchObject({ tokens: 40 })
  })

  test('U+0000 and lone surrogates become U+FFFD, a pair split over two pieces stays whole', async () => {
    const split = [String.raw`a\u0000b\ud83d`, String.raw`\ude00c\ude00`, String.raw`d\ud83d`]
    const events = split.map((text) => event(`{"choices":[{"delta":{"content":"${text}"}}]}`))
    const { heard, outcome } = await ask(stream(...events, finish()))
    expect(outcome).toMatchObject({ text: 'a\uFFFDb😀c\uFFFDd\uFFFD' })
    expect(heard).toEqual(['a\uFFFDb', '😀c\uFFFD', 'd', '\uFFFD'])
  })

  test('is not read faster than it is taken', async () => {
    const pieces = 1_000
    let sent = 0
    const padded = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }], padding: 'p'.repeat(60_000) })}\n\n`
    const send = async (response: ServerResponse) => {
      for (; sent < pieces; sent += 1) if (!response.write(padded)) await once(response, 'drain')
      response.end(finish())
    }
    let [taken, furthestAhead] = [0, 0]
    const onText = async () => {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      furthestAhead = Math.max(furthestAhead, sent - ++taken)
    }
    await ask((response) => void send(response.writeHead(200)), { onText })
    expect(taken).toBe(pieces)
    // Sockets buffer some megabytes; reading ahead would take nearly all sixty.
    expect(furthestAhead).toBeLessThan(pieces / 2)
  })

  test('what the listener throws comes back to the caller, and the connection is closed', async () => {
    const { answer, closed } = untilClosed((response) => void response.write(delta('hi')))
    await expect(ask(answer, { onText: () => Promise.reject(new Error('lease lost')) })).rejects.toThrow('lease lost')
    await closed
  })

  test('arguments that are no JSON stay text, for the tool to refuse', async () => {
    const call = { index: 0, id: 'c', function: { name: 'calculator', arguments: '{"expr' } }
    const { outcome } = await ask(stream(event({ choices: [{ delta: { tool_calls: [call] } }] }), finish('tool_calls')))
    expect(outcome).toMatchObject({ kind: 'reply', toolCalls: [{ id: 'c', name: 'calculator', input: '{"expr' }] })
  })

  test('nothing is heard after an abort, even if it has come already', async () => {
    const abort = new AbortController()
    const heard: string[] = []
    const onText = (text: string) => {
      heard.push(text)
      abort.abort()
    }
    const { outcome } = await ask(stream(delta('a'), delta('b'), finish()), { signal: abort.signal, onText })
    expect(outcome).toMatchObject({ kind: 'aborted', text: 'a' })
    expect(heard).toEqual(['a'])
  })

  test('an abort while the server is silent closes the connection', async () => {
    const abort = new AbortController()
    const { answer, closed } = untilClosed(() => abort.abort())
    const { outcome } = await ask(answer, { signal: abort.signal })
    expect(outcome).toMatchObject({ kind: 'aborted', text: '', tokens: expect.any(Number) })
    await closed
  })
})

describe('a failure', () => {
  const broken = "The provider's answer could not be read."
  test.each<[string, Answer, object]>([
    [
      'a chunk that is no JSON',
      stream(delta('half'), event('{"choices":[{'), finish()),
      { text: 'half', message: broken },
    ],
    ['an end without a finish', stream(delta('half')), { text: 'half', message: broken }],
    ['no stream at all', stream('<html>Welcome!</html>'), { text: '', message: broken, tokens: undefined }],
    [
      'a connection that breaks',
      (response) => response.write(delta('half'), () => response.destroy()),
      { text: 'half' },
    ],
    [
      'an error in mid-stream',
      stream(delta('half'), event({ error: { message: 'overloaded', type: 'server_error' } })),
      { text: 'half', message: 'The provider reported an error: overloaded' },
    ],
  ])('%s may be retried', async (_, answer, expected) => {
    const { outcome } = await ask(answer)
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_error', retryable: true, ...expected })
    if ('text' in expected && expected.text) expect(outcome.tokens).toBeGreaterThan(1)
  })

  test('a status that comes in mid-stream counts like one that comes first', async () => {
    const { outcome } = await ask(stream(event({ error: { message: 'bad key', code: 401 } })))
    expect(outcome).toMatchObject({ reasonCode: 'provider_auth', retryable: false })
  })

  test('a content filter is not retried', async () => {
    const { outcome } = await ask(stream(delta('half'), finish('content_filter')))
    expect(outcome).toMatchObject({ kind: 'failure', retryable: false, text: 'half' })
  })

  test('a reply that is too large is not read to its end, and not retried', async () => {
    const piece = delta('x'.repeat(65_536))
    const { answer, closed } = untilClosed((response) => {
      // Until a write fails, which is heard before the connection is known to be closed.
      const send = (error?: Error | null) => void (error || response.write(piece, send))
      send()
    })
    const { outcome } = await ask(answer)
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_error', retryable: false })
    expect(outcome.text).toHaveLength(largestReply)
    await closed
  })
})
