// Server behaviour that a well-behaved mock does not show: responses written by hand, byte by byte.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelRequest } from '../port/model.ts'
import { openProviderModel } from './open-model.ts'
import { largestReply } from './reply/incoming-reply.ts'

type Answer = (response: ServerResponse) => void

interface Circumstances {
  readonly silenceMs?: number
  readonly onRequest?: (body: Record<string, unknown>) => void
}

let answerNext: Answer
let onRequestNext: Circumstances['onRequest']
const server = createServer(async (request, response) => {
  const body = JSON.parse((await request.toArray()).join(''))
  onRequestNext?.(body)
  answerNext(response)
})

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

async function ask(answer: Answer, asked: Partial<ModelRequest> = {}, { silenceMs, onRequest }: Circumstances = {}) {
  answerNext = answer
  onRequestNext = onRequest
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const model = await openProviderModel({
    format: 'openai-compatible',
    name: 'm',
    model: 'm',
    server: { baseUrl, apiKey: undefined },
    ...(silenceMs !== undefined && { silenceMs }),
  })
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

/** Resolves when the client closes the connection. */
function untilClosed(begin: Answer): { answer: Answer; closed: Promise<void> } {
  let answer: Answer = begin
  const closed = new Promise<void>((resolve) => {
    answer = (response) => begin(response.on('close', resolve))
  })
  return { answer, closed }
}

describe('a reply', () => {
  test('without usage from the server is metered by an estimate, marked as one', async () => {
    const { outcome } = await ask(stream(delta('hi'), finish()))
    const input = Math.ceil(JSON.stringify([[{ from: 'user', text: 'hello' }], []]).length / 4)
    const usage = { total: input + 1, input, output: 1, estimated: true }
    expect(outcome).toMatchObject({ kind: 'reply', text: 'hi', usage })
  })

  test('a total larger than its parts is accepted', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 }
    const { outcome } = await ask(stream(delta('hi'), event({ choices: [], usage }), finish()))
    expect(outcome).toMatchObject({ usage: { total: 40, input: 10, output: 5 } })
  })

  test('U+0000 and lone surrogates become U+FFFD, a pair split over two pieces stays whole', async () => {
    const split = [String.raw`a\u0000b\ud83d`, String.raw`\ude00c\ude00`, String.raw`d\ud83d`]
    const events = split.map((text) => event(`{"choices":[{"delta":{"content":"${text}"}}]}`))
    const { heard, outcome } = await ask(stream(...events, finish()))
    expect(outcome).toMatchObject({ text: 'a\uFFFDb😀c\uFFFDd\uFFFD' })
    expect(heard).toEqual(['a\uFFFDb', '😀c\uFFFD', 'd', '\uFFFD'])
  })

  test('is not read faster than the listener takes it', async () => {
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

  test('an error of the listener reaches the caller, and the connection is closed', async () => {
    const { answer, closed } = untilClosed((response) => void response.write(delta('hi')))
    await expect(ask(answer, { onText: () => Promise.reject(new Error('lease lost')) })).rejects.toThrow('lease lost')
    await closed
  })

  test('no text is passed on after an abort, even if it has already arrived', async () => {
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
    expect(outcome).toMatchObject({ kind: 'aborted', text: '', usage: { estimated: true } })
    await closed
  })
})

describe('a failure', () => {
  const unreadable = expect.stringMatching(/^The provider's answer could not be read: ./)
  test.each<[string, Answer, object]>([
    [
      'a chunk that is not JSON',
      stream(delta('half'), event('{"choices":[{'), finish()),
      { text: 'half', message: unreadable },
    ],
    ['no stream at all', stream('<html>Welcome!</html>'), { text: '', message: unreadable, usage: undefined }],
    [
      'an error in mid-stream',
      stream(delta('half'), event({ error: { message: 'overloaded', type: 'server_error' } })),
      { text: 'half', message: 'The provider answered 503: overloaded' },
    ],
  ])('%s: the call may be retried', async (_, answer, expected) => {
    const { outcome } = await ask(answer)
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_unavailable', retry: 'call', ...expected })
    if ('text' in expected && expected.text) expect(outcome.usage).toMatchObject({ output: 1, estimated: true })
  })

  test('a status within the stream counts like that of the response', async () => {
    const { outcome } = await ask(stream(event({ error: { message: 'bad key', code: 401 } })))
    expect(outcome).toMatchObject({ reasonCode: 'provider_auth', retry: 'never' })
  })

  test('a reply that is too large is not read to its end, and not retried', async () => {
    const piece = delta('x'.repeat(65_536))
    const { answer, closed } = untilClosed((response) => {
      // Write until a write fails, which happens before the close of the connection is reported.
      const send = (error?: Error | null) => void (error || response.write(piece, send))
      send()
    })
    const { outcome } = await ask(answer)
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_error', retry: 'never' })
    expect(outcome.text).toHaveLength(largestReply)
    await closed
  })
})

describe('on the wire', () => {
  const silent = { kind: 'failure', reasonCode: 'provider_unavailable', retry: 'call' }

  test.each<[string, Answer, string]>([
    ['before the first token', (response) => void response.writeHead(200).flushHeaders(), ''],
    ['before any answer', () => undefined, ''],
    ['in mid-stream', (response) => void response.writeHead(200).write(delta('half')), 'half'],
  ])('the connection is closed when a server falls silent %s', async (_, begin, text) => {
    const { answer, closed } = untilClosed(begin)
    const { outcome } = await ask(answer, {}, { silenceMs: 500 })
    expect(outcome).toMatchObject({ ...silent, text, message: 'The provider sent nothing for 0.5 s.' })
    await closed
  })

  test('plain JSON instead of a stream is read like a stream', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'calculator', arguments: '{"a":1}' } }
    const message = { role: 'assistant', content: 'hi', tool_calls: [call] }
    const usage = { prompt_tokens: 3, completion_tokens: 4 }
    const completion = JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }], usage })
    const { heard, outcome } = await ask(
      (response) => void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(completion),
    )
    expect(heard).toEqual(['hi'])
    expect(outcome).toMatchObject({
      kind: 'reply',
      toolCalls: [{ id: 'c', name: 'calculator', input: { a: 1 } }],
      usage: { total: 7 },
    })
  })

  test('max_completion_tokens is sent where max_tokens is refused', async () => {
    const sent: Record<string, unknown>[] = []
    const onRequest = (body: Record<string, unknown>) => void sent.push(body)
    const message = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    const answer: Answer = (response) => {
      if (sent.at(-1)?.max_tokens === undefined) stream(delta('hi'), finish())(response)
      else response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
    }
    const { outcome } = await ask(answer, { maxOutputTokens: 77 }, { onRequest })
    expect(outcome).toMatchObject({ kind: 'reply', text: 'hi' })
    expect(sent.map((body) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [77, undefined],
      [undefined, 77],
    ])
  })
})
