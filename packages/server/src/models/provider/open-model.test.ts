import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Model, ModelRequest } from '../port/model.ts'
import { openProviderModel } from './open-model.ts'

const apiKey = 'sk-test-1234567890'
const mock = new LLMock({ port: 0, auth: { apiKeys: [apiKey] } })

beforeAll(() => mock.start())
afterAll(() => mock.stop())
beforeEach(() => void mock.reset())

const open = (baseUrl: string, key: string | undefined = apiKey): Promise<Model> =>
  openProviderModel({
    name: 'openai-compatible/m',
    format: 'openai-compatible',
    model: 'm',
    server: { baseUrl, apiKey: key },
  })

async function ask(asked: Partial<ModelRequest> = {}, model = open(`${mock.url}/v1`)) {
  const heard: string[] = []
  const outcome = await (await model).respond({
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

const bodies = () => mock.getRequests().map(({ body }) => body as unknown as Record<string, unknown>)

describe('text', () => {
  test('is streamed piece by piece, and its usage is the sum of input and output', async () => {
    const content = 'One sentence, long enough for several pieces.'
    mock.onMessage('hello', { content, usage: { prompt_tokens: 11, completion_tokens: 7 } })
    const { heard, outcome } = await ask()
    const usage = { total: 18, input: 11, output: 7 }
    expect(outcome).toEqual({ kind: 'reply', text: content, toolCalls: [], finish: 'complete', usage })
    expect(heard.length).toBeGreaterThan(1)
    expect(heard.join('')).toBe(content)
  })

  test('is requested with the model, the messages, and usage', async () => {
    mock.onMessage('hello', { content: 'hi' })
    await ask({
      messages: [
        { from: 'system', text: 'Be short.' },
        { from: 'user', text: 'hello' },
      ],
    })
    expect(bodies()).toEqual([
      expect.objectContaining({
        model: 'm',
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'hello' },
        ],
      }),
    ])
    expect(bodies()[0]).not.toHaveProperty('tools')
    expect(bodies()[0]).not.toHaveProperty('response_format')
  })

  test.each([
    [undefined, undefined],
    [100, 100],
    [4_096, 4_096],
    // Models refuse a limit above what they can write, and a budget of a million tokens is above it.
    [1_000_000, undefined],
  ])('a limit of %s tokens is sent as %s', async (maxOutputTokens, sent) => {
    mock.onMessage('hello', { content: 'hi' })
    await ask({ maxOutputTokens })
    expect(bodies()[0]?.max_tokens).toBe(sent)
  })
})

describe('tools', () => {
  const tools = [{ name: 'calculator', description: 'Calculates.', inputSchema: { type: 'object', properties: {} } }]

  test('several calls of one turn are made and their results are sent back', async () => {
    const toolCalls = [
      { id: 'call_a', name: 'calculator', arguments: { expression: '2+2' } },
      { id: 'call_b', name: 'no_such_tool', arguments: {} },
    ]
    mock.on({ userMessage: 'hello', hasToolResult: false }, { toolCalls })
    mock.on({ userMessage: 'hello', hasToolResult: true }, { content: 'It is 4.' })
    const first = await ask({ tools })
    const asked = [
      { id: 'call_a', name: 'calculator', input: { expression: '2+2' } },
      { id: 'call_b', name: 'no_such_tool', input: {} },
    ]
    expect(first.outcome).toMatchObject({ kind: 'reply', text: '', toolCalls: asked, finish: 'complete' })

    const second = await ask({
      tools,
      messages: [
        { from: 'user', text: 'hello' },
        { from: 'assistant', text: '', toolCalls: asked },
        { from: 'tool', callId: 'call_a', name: 'calculator', result: { result: 4 }, failed: false },
        { from: 'tool', callId: 'call_b', name: 'no_such_tool', result: 'no such tool', failed: true },
      ],
    })
    expect(second.outcome).toMatchObject({ kind: 'reply', text: 'It is 4.', toolCalls: [] })
    expect(bodies()[1]).toMatchObject({
      tools: [{ type: 'function', function: { name: 'calculator', parameters: tools[0]?.inputSchema } }],
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'call_a', function: { arguments: '{"expression":"2+2"}' } }, {}] },
        { role: 'tool', tool_call_id: 'call_a', content: '{"result":4}' },
        { role: 'tool', tool_call_id: 'call_b', content: '{"error":"no such tool"}' },
      ],
    })
  })

  test('arguments that were not JSON are sent back as an object', async () => {
    mock.onMessage('hello', { content: 'hi' })
    const toolCalls = [{ id: 'c', name: 'calculator', input: '{"expr' }]
    await ask({
      messages: [
        { from: 'assistant', text: '', toolCalls },
        { from: 'user', text: 'hello' },
      ],
    })
    expect(JSON.stringify(bodies()[0])).toContain(JSON.stringify(JSON.stringify({ malformed_arguments: '{"expr' })))
  })
})

describe('structured output', () => {
  const outputSchema = {
    type: 'object',
    properties: { decision: { type: 'string', enum: ['continue', 'stop'] }, reason: { type: 'string' } },
    required: ['decision'],
  }

  test('is requested by response format and in the prompt, and returned as text', async () => {
    mock.onMessage('hello', { content: '{"decision":"stop"}' })
    const { outcome } = await ask({ outputSchema })
    expect(outcome).toMatchObject({ kind: 'reply', text: '{"decision":"stop"}', finish: 'complete' })
    expect(outcome).not.toHaveProperty('output')
    const [body] = bodies()
    const format = { type: 'json_schema', json_schema: { schema: outputSchema, strict: false } }
    expect(body?.response_format).toMatchObject(format)
    expect(body?.messages).toMatchObject([
      { role: 'system', content: expect.stringContaining(JSON.stringify(outputSchema)) },
      { role: 'user', content: 'hello' },
    ])
  })

  test('its instruction is added to the existing system message', async () => {
    mock.onMessage('hello', { content: '{"decision":"stop"}' })
    const messages = [
      { from: 'system', text: 'Judge.' },
      { from: 'user', text: 'hello' },
    ] as const
    await ask({ outputSchema, messages })
    expect(bodies()[0]?.messages).toMatchObject([
      { content: expect.stringMatching(/^Judge\..*Schema/s) },
      { role: 'user' },
    ])
  })

  test.each([['JSON that does not fit', '{"decision":"perhaps"}']])(
    '%s is still a reply: the caller reads it',
    async (_, content) => {
      mock.onMessage('hello', { content, usage: { prompt_tokens: 5, completion_tokens: 1 } })
      const { outcome } = await ask({ outputSchema })
      expect(outcome).toMatchObject({ kind: 'reply', text: content, usage: { total: 6 } })
    },
  )

  test('a server that refuses response formats is asked in the prompt only, and later calls do so at once', async () => {
    const refusal = { error: { message: 'response_format is not supported' }, status: 400 }
    mock.on({ predicate: ({ response_format }) => response_format !== undefined }, refusal)
    mock.on({ predicate: ({ response_format }) => response_format === undefined }, { content: '{"decision":"stop"}' })
    const model = open(`${mock.url}/v1`)
    for (const requests of [2, 3]) {
      expect((await ask({ outputSchema }, model)).outcome).toMatchObject({ text: '{"decision":"stop"}' })
      expect(mock.getRequests()).toHaveLength(requests)
    }
  })

  test('a refusal for other reasons is reported after one more call without the format', async () => {
    mock.onMessage('hello', { error: { message: 'the messages are odd' }, status: 400 })
    const { outcome } = await ask({ outputSchema })
    const message = 'The provider answered 400: the messages are odd'
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_error', retry: 'never', message })
    expect(bodies().map((body) => 'response_format' in body)).toEqual([true, false])
  })

  test('a prompt that is too long is reported at once, because the format is not the cause', async () => {
    mock.onMessage('hello', { error: { message: 'the prompt is too long' }, status: 400 })
    const model = open(`${mock.url}/v1`)
    for (const requests of [1, 2]) {
      const { outcome } = await ask({ outputSchema }, model)
      expect(outcome).toMatchObject({ reasonCode: 'context_exceeded', retry: 'never' })
      expect(bodies().at(-1)).toHaveProperty('response_format')
      expect(mock.getRequests()).toHaveLength(requests)
    }
  })
})

describe('an abort', () => {
  test('in mid-stream keeps the text and estimates its usage, including the prompt', async () => {
    mock.onMessage('hello', { content: 'x'.repeat(400) }, { chunkSize: 40, latency: 5 })
    const abort = new AbortController()
    const { outcome } = await ask({ signal: abort.signal, onText: () => abort.abort(new Error('lease lost')) })
    const prompt = JSON.stringify([[{ from: 'user', text: 'hello' }], []])
    const input = Math.ceil(prompt.length / 4)
    const usage = { total: input + 10, input, output: 10, estimated: true }
    expect(outcome).toEqual({ kind: 'aborted', text: 'x'.repeat(40), usage })
  })

  test('before the start sends no request and costs nothing', async () => {
    const { outcome } = await ask({ signal: AbortSignal.abort() })
    expect(outcome).toEqual({ kind: 'aborted', text: '', usage: undefined })
    expect(mock.getRequests()).toEqual([])
  })
})

describe('a failure', () => {
  test.each([
    [408, 'provider_unavailable', 'call'],
    [409, 'provider_unavailable', 'call'],
    [422, 'provider_error', 'never'],
    [503, 'provider_unavailable', 'call'],
  ])('%i is %s, retry: %s, one request', async (status, reasonCode, retry) => {
    mock.onMessage('hello', { error: { message: 'not now' }, status })
    const message = `The provider answered ${status}: not now`
    const failure = { kind: 'failure', reasonCode, retry, message, text: '', usage: undefined }
    expect((await ask()).outcome).toEqual(failure)
    expect(mock.getRequests()).toHaveLength(1)
  })

  test('a malformed response may be retried', async () => {
    mock.onMessage('hello', { content: 'hi' }, { chaos: { malformedRate: 1 } })
    expect((await ask()).outcome).toMatchObject({
      kind: 'failure',
      reasonCode: 'provider_unavailable',
      retry: 'call',
      message: expect.stringMatching(/^The provider's answer could not be read: ./),
    })
  })

  test('a closed port may be retried', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const { outcome } = await ask({}, open(`http://127.0.0.1:${port}/v1`))
    const message = expect.stringMatching(/^The connection to the provider failed: .*ECONNREFUSED/)
    expect(outcome).toMatchObject({ reasonCode: 'provider_unavailable', retry: 'call', message, usage: undefined })
  })
})
