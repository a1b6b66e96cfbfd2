import { afterEach, describe, expect, test } from 'vitest'
import { post } from '../client.ts'
import { type MockProvider, startMockProvider } from '../mock-provider.ts'
import { callTools, fail, type JsonObject, type Reply, type Script, say } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'

let provider: MockProvider

async function start(script: Script = () => say('Hello there.'), options: ProviderOptions = {}) {
  provider = await startMockProvider('anthropic', script, options)
}
afterEach(() => provider.close())

const headers = { 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' }
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more })
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'search', input })
const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'found', ...more })
const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: 'object', properties: {} }, ...more })
const ask = (more: object = {}) => ({ model: 'claude', max_tokens: 4_096, messages: [user('hello')], ...more })
const talk = (...messages: object[]) => ask({ messages })
const send = (body: unknown) => post(provider, { path: '/messages', headers, body })
const messageOf = (answer: JsonObject) => (answer.error as JsonObject).message
const thinking = { thinking: { type: 'enabled', budget_tokens: 2_000 } }
const marked = (ttl?: string) => text('a', { cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } })
const outputFormat = (schema: object) => ({ output_config: { format: { type: 'json_schema', schema } } })

describe('a request is refused', () => {
  test.each<[string, object, string]>([
    ['without max_tokens', { model: 'm', messages: [user('a')] }, 'max_tokens: Field required'],
    ['without messages', { model: 'm', max_tokens: 1 }, 'messages: Field required'],
    ['with an unknown parameter', ask({ seed: 1 }), 'seed: Extra inputs are not permitted'],
    ['with a system message', talk({ role: 'system', content: 'a' }), 'messages.0.role'],
    ['with an unknown block', talk(user([{ type: 'image_url', url: 'a' }])), 'messages.0.content.0.type'],
    ['with too high a temperature', ask({ temperature: 1.5 }), 'temperature: Input should be less'],
    ['with temperature and top_p', ask({ temperature: 1, top_p: 1 }), 'cannot both be specified'],
    ['with an empty stop', ask({ stop_sequences: [' '] }), 'non-whitespace'],
    ['with a bad tool name', ask({ tools: [tool('a.b')] }), 'tools.0.name: String should match pattern'],
    ['with two tools of a name', ask({ tools: [tool('a'), tool('a')] }), 'must be unique'],
    ['with a tool without a schema', ask({ tools: [{ name: 'a' }] }), 'tools.0.input_schema: Field required'],
    ['with a schema of another type', ask({ tools: [tool('a', { input_schema: {} })] }), 'input_schema.type'],
    [
      'with anyOf on top',
      ask({ tools: [tool('a', { input_schema: { type: 'object', anyOf: [{}] } })] }),
      'at the top level',
    ],
    [
      'with a bad schema',
      ask({ tools: [tool('a', { input_schema: { type: 'object', required: 1 } })] }),
      'draft 2020-12',
    ],
    ['with a tool choice and no tools', ask({ tool_choice: { type: 'auto' } }), 'while providing tools'],
    [
      'choosing an unknown tool',
      ask({ tools: [tool('a')], tool_choice: { type: 'tool', name: 'b' } }),
      "'b' not found",
    ],
    ['with an open output schema', ask(outputFormat({ type: 'object' })), "'additionalProperties' must be"],
    ['with a limit in the schema', ask(outputFormat({ type: 'string', minLength: 1 })), "'minLength' is not supported"],
    ['with five cache marks', talk(user([1, 2, 3, 4, 5].map(() => marked()))), 'maximum of 4 blocks'],
    ['with a long mark after a short one', talk(user([marked(), marked('1h')])), "ttl='1h'"],
    ['thinking with too small a budget', ask({ thinking: { type: 'enabled', budget_tokens: 9 } }), 'budget_tokens'],
    ['thinking beyond max_tokens', ask({ ...thinking, max_tokens: 2_000 }), '`max_tokens` must be greater'],
    ['thinking with a temperature', ask({ ...thinking, temperature: 0.5 }), 'may only be set to 1'],
    [
      'thinking with a forced tool',
      ask({ ...thinking, tools: [tool('a')], tool_choice: { type: 'any' } }),
      'forces tool use',
    ],
  ])('%s', async (_, body, message) => {
    await start()
    const refusal = await send(body)
    expect(refusal.status).toBe(400)
    expect(refusal.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(messageOf(refusal.json())).toContain(message)
    expect(provider.refusals).toHaveLength(1)
  })

  test.each<[string, object[], string]>([
    ['a first turn of the assistant', [assistant('a'), user('b')], 'first message'],
    ['a last turn of the assistant', [user('a'), assistant('b')], 'must end with a user message'],
    ['no content', [user('a'), assistant([]), user('b')], 'messages.1: all messages must have non-empty content'],
    ['an empty text', [user([text('')])], 'must be non-empty'],
    ['only white space', [user(' \n')], 'non-whitespace'],
    ['an unanswered use', [user('a'), assistant([use('1'), use('2')]), user([result('1')])], 'immediately after: 2'],
    ['a use answered by words', [user('a'), assistant([use('1')]), user('b')], 'messages.1: `tool_use` ids'],
    [
      'words before the results',
      [user('a'), assistant([use('1')]), user([text('b'), result('1')])],
      'immediately after: 1',
    ],
    [
      'a result of another use',
      [user('a'), assistant([use('1')]), user([result('1'), result('2')])],
      'unexpected `tool_use_id`',
    ],
    ['a result without a use', [user([result('1')])], 'messages.0.content.0: unexpected'],
    ['two results of a use', [user('a'), assistant([use('1')]), user([result('1'), result('1')])], 'single result'],
    ['two uses of an id', [user('a'), assistant([use('1'), use('1')]), user([result('1')])], 'must be unique'],
    [
      'an id used again',
      [user('a'), assistant([use('1')]), user([result('1')]), assistant([use('1')]), user([result('1')])],
      'must be unique',
    ],
    [
      'an input that is text',
      [user('a'), assistant([use('1', '{}')]), user([result('1')])],
      'messages.1.content.0.input',
    ],
    [
      'an empty error',
      [user('a'), assistant([use('1')]), user([result('1', { is_error: true, content: '' })])],
      'cannot be empty if',
    ],
    [
      'thinking that was never issued',
      [user('a'), assistant([{ type: 'thinking', thinking: 'b', signature: 'c' }, text('d')]), user('e')],
      'Invalid `signature`',
    ],
  ])('with %s', async (_, messages, message) => {
    await start()
    const refusal = await send(talk(...messages))
    expect(refusal.status).toBe(400)
    expect(messageOf(refusal.json())).toContain(message)
  })

  test('without a key or a version, with a wrong key, or for an unknown model', async () => {
    await start([], { apiKey: 'sk-test', models: ['claude'] })
    const statusFor = async (sent: Record<string, string>, body: object) =>
      (await post(provider, { path: '/messages', headers: sent, body })).status
    expect(await statusFor({ 'anthropic-version': '2023-06-01' }, ask())).toBe(401)
    expect(await statusFor({ ...headers, 'x-api-key': 'other' }, ask())).toBe(401)
    expect(await statusFor({ 'x-api-key': 'sk-test' }, ask())).toBe(400)
    expect(await statusFor(headers, ask({ model: 'other' }))).toBe(404)
  })
})

describe('thinking', () => {
  async function thinkAndCall() {
    await start([callTools([{ name: 'search', id: 'toolu_1' }], { reasoning: 'I search.' }), say('Done.')])
    const [thought, called] = (await send(ask({ ...thinking, tools: [tool('search')] }))).json().content as [
      JsonObject,
      JsonObject,
    ]
    expect(thought).toMatchObject({ type: 'thinking', thinking: 'I search.', signature: expect.any(String) })
    const next = (...blocks: object[]) =>
      send({
        ...talk(user('hello'), assistant(blocks), user([result('toolu_1')])),
        ...thinking,
        tools: [tool('search')],
      })
    return { thought, called, next }
  }

  test('comes back as it was', async () => {
    const { thought, called, next } = await thinkAndCall()
    expect((await next(thought, called)).status).toBe(200)
    expect(provider.refusals).toEqual([])
  })

  test.each<[string, (thought: JsonObject) => object[], string]>([
    ['lost', () => [], 'Expected `thinking`'],
    ['reworded', (thought) => [{ ...thought, thinking: 'I looked.' }], 'cannot be modified'],
    ['signed otherwise', (thought) => [{ ...thought, signature: 'x' }], 'Invalid `signature`'],
  ])('that is %s is refused', async (_, change, message) => {
    const { thought, called, next } = await thinkAndCall()
    const refusal = await next(...change(thought), called)
    expect(refusal.status).toBe(400)
    expect(messageOf(refusal.json())).toContain(message)
  })

  test('of an earlier turn may be left out', async () => {
    const { called } = await thinkAndCall()
    const messages = [user('hello'), assistant([called]), user([result('toolu_1')]), assistant('Done.'), user('more')]
    expect((await send({ ...talk(...messages), ...thinking })).status).toBe(200)
  })

  test('is not written where it was not asked for', async () => {
    await start([say('Hi.', { reasoning: 'Greet.' })])
    expect((await send(ask())).json().content).toMatchObject([{ type: 'text', text: 'Hi.' }])
  })
})

test('a request is read in neutral words', async () => {
  await start()
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  const { status } = await send({
    ...talk(
      user([text('Look up a.')]),
      assistant([text('Looking.'), use('1', { q: 'a' })]),
      user([result('1', { content: [text('A')] }), text('Be quick.', { cache_control: { type: 'ephemeral' } })]),
    ),
    system: [text('Be short.', { cache_control: { type: 'ephemeral' } })],
    tools: [tool('search', { description: 'Searches.' })],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    stop_sequences: ['END'],
    ...outputFormat(schema),
  })
  expect(status).toBe(200)
  expect(provider.requests[0]).toMatchObject({
    system: 'Be short.',
    messages: [
      { from: 'user', text: 'Look up a.' },
      { from: 'assistant', text: 'Looking.', toolCalls: [{ id: '1', name: 'search', args: { q: 'a' } }] },
      { from: 'tool', toolResults: [{ id: '1', name: 'search', text: 'A', failed: false }] },
      { from: 'user', text: 'Be quick.' },
    ],
    tools: [{ name: 'search', description: 'Searches.' }],
    outputSchema: schema,
    parameters: { maxOutputTokens: 4_096, toolChoice: 'required', parallelToolCalls: false, stop: ['END'] },
  })
})

describe('a reply', () => {
  test('is a stream of named events', async () => {
    const usage = { input: 9, output: 5, cached: 4 }
    await start([
      callTools([{ name: 'search', args: { q: 'a' } }], { text: 'Looking up.', reasoning: 'Search.', usage }),
    ])
    const events = (await send(ask({ ...thinking, stream: true, tools: [tool('search')] }))).events()
    const block = (index: number, ...deltas: object[]) => [
      { type: 'content_block_start', index },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
    expect(events).toMatchObject([
      {
        type: 'message_start',
        message: { content: [], stop_reason: null, usage: { input_tokens: 5, output_tokens: 1 } },
      },
      { type: 'ping' },
      ...block(0, { type: 'thinking_delta', thinking: 'Search.' }, { type: 'signature_delta' }),
      ...block(1, { type: 'text_delta', text: 'Looking ' }, { type: 'text_delta', text: 'up.' }),
      ...block(2, { type: 'input_json_delta', partial_json: '{"q":' }, { partial_json: '"a"}' }),
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use' },
        usage: { output_tokens: 5, cache_read_input_tokens: 4 },
      },
      { type: 'message_stop' },
    ])
  })

  test.each<[Reply, object]>([
    [say('cut of', { finish: 'length' }), { stop_reason: 'max_tokens' }],
    [say('', { finish: 'content_filter' }), { stop_reason: 'refusal', content: [] }],
    [say('', { refusal: 'No.' }), { stop_reason: 'refusal', stop_details: { explanation: 'No.' } }],
    [say(''), { stop_reason: 'end_turn', content: [] }],
    [
      callTools([{ name: 'a', args: { x: 1 } }]),
      { stop_reason: 'tool_use', content: [{ id: expect.stringMatching(/^toolu_/), input: { x: 1 } }] },
    ],
    [callTools([{ name: 'a', rawArgs: '"{}"' }]), { content: [{ input: '"{}"' }] }],
    [callTools([{ name: 'a', id: null }]), { content: [expect.not.objectContaining({ id: expect.anything() })] }],
  ])('%j', async (reply, message) => {
    await start([reply])
    expect((await send(ask())).json()).toMatchObject(message)
  })

  test.each<[Reply, number, string]>([
    [fail('rate_limited', { retryAfter: 2 }), 429, 'rate_limit_error'],
    [fail('quota_spent'), 400, 'invalid_request_error'],
    [fail('overloaded'), 529, 'overloaded_error'],
    [fail('server_error'), 500, 'api_error'],
    [fail('context_too_long'), 400, 'invalid_request_error'],
    [fail('unknown_model'), 404, 'not_found_error'],
    [fail('wrong_key'), 401, 'authentication_error'],
  ])('%j', async (reply, status, type) => {
    await start([reply])
    const failure = await send(ask({ stream: true }))
    expect(failure.status).toBe(status)
    expect(failure.json()).toMatchObject({ type: 'error', error: { type } })
    expect(provider.refusals).toEqual([])
  })
})
