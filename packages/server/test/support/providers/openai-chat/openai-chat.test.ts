import { afterEach, describe, expect, test } from 'vitest'
import { post } from '../client.ts'
import { type MockProvider, startMockProvider } from '../mock-provider.ts'
import { callTools, fail, type JsonObject, type Reply, type Script, say } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'

let provider: MockProvider

async function start(script: Script = () => say('Hello there.'), options: ProviderOptions = {}) {
  provider = await startMockProvider('openai-chat', script, options)
}
afterEach(() => provider.close())

const headers = { authorization: 'Bearer sk-test' }
const user = (content: unknown) => ({ role: 'user', content })
const call = (id: string, name = 'search', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const asking = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string, content = 'found') => ({ role: 'tool', tool_call_id: id, content })
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } })
const chat = (more: object = {}) => ({ model: 'gpt-4o', messages: [user('hello')], ...more })
const send = (body: unknown) => post(provider, { path: '/chat/completions', headers, body })
const conversation = (...messages: object[]) => chat({ messages })
const strictFormat = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'out', strict: true, schema } },
})
const strictObject = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

describe('a request is refused', () => {
  test.each<[string, object, string]>([
    ['without a model', { messages: [user('hi')] }, "Missing required parameter: 'model'."],
    ['without messages', { model: 'm' }, "Missing required parameter: 'messages'."],
    ['with no message', conversation(), "Invalid 'messages'"],
    ['with an unknown parameter', chat({ top_k: 3 }), "Unknown parameter: 'top_k'."],
    ['with an unknown field', conversation({ ...user('hi'), id: '1' }), "Unknown parameter: 'messages[0].id'."],
    ['with an unknown role', conversation({ role: 'bot', content: 'hi' }), 'messages[0].role'],
    ['with an unknown part', conversation(user([{ type: 'input_text', text: 'hi' }])), 'messages[0].content[0].type'],
    ['with a wrong type', chat({ temperature: '1' }), "Invalid type for 'temperature'"],
    ['with too high a temperature', chat({ temperature: 3 }), "Invalid 'temperature'"],
    ['with no room to answer', chat({ max_tokens: 0 }), "Invalid 'max_tokens'"],
    ['with two limits', chat({ max_tokens: 5, max_completion_tokens: 5 }), 'at the same time'],
    ['with five stops', chat({ stop: ['a', 'b', 'c', 'd', 'e'] }), "Invalid 'stop'"],
    ['with stream options and no stream', chat({ stream_options: { include_usage: true } }), "'stream_options'"],
    ['with empty tools', chat({ tools: [] }), "Invalid 'tools'"],
    ['with a tool choice and no tools', chat({ tool_choice: 'auto' }), "'tool_choice' is only allowed"],
    ['with parallel calls and no tools', chat({ parallel_tool_calls: false }), "'parallel_tool_calls' is only allowed"],
    ['with a bad tool name', chat({ tools: [tool('web.search')] }), "Invalid 'tools[0].function.name'"],
    ['with two tools of a name', chat({ tools: [tool('a'), tool('a')] }), 'unique'],
    [
      'choosing an unknown tool',
      chat({ tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } }),
      "'b' not found",
    ],
    [
      'with parameters that are no object',
      chat({ tools: [tool('a', { parameters: { type: 'string' } })] }),
      'type: "object"',
    ],
    [
      'with parameters without properties',
      chat({ tools: [tool('a', { parameters: { type: 'object' } })] }),
      'missing properties',
    ],
    ['with JSON asked for in no word', chat({ response_format: { type: 'json_object' } }), "the word 'json'"],
    ['with max_tokens for a reasoning model', chat({ model: 'o4-mini', max_tokens: 9 }), "Use 'max_completion_tokens'"],
    ['with a temperature for a reasoning model', chat({ model: 'gpt-5', temperature: 0.2 }), 'Only the default (1)'],
    ['with an effort for another model', chat({ reasoning_effort: 'low' }), "'reasoning_effort' is not supported"],
  ])('%s', async (_, body, message) => {
    await start()
    const refusal = await send(body)
    expect(refusal.status).toBe(400)
    expect(refusal.json().error).toMatchObject({ type: 'invalid_request_error' })
    expect(Object.values(refusal.json().error as JsonObject).join(' ')).toContain(message)
    expect(provider.refusals).toHaveLength(1)
    expect(provider.requests).toHaveLength(0)
  })

  test.each<[string, object, string]>([
    ['leaves properties open', { type: 'object', properties: {} }, "'additionalProperties' is required"],
    ['has an optional property', strictObject({ a: { type: 'string' } }, []), "Missing 'a'"],
    ['requires what is not there', strictObject({}, ['a']), "Extra required key 'a'"],
    ['has an open object inside', strictObject({ a: { type: 'object', properties: {} } }), "('properties', 'a')"],
    ['has oneOf', strictObject({ a: { oneOf: [{ type: 'string' }] } }), "'oneOf' is not permitted"],
    ['has a default', strictObject({ a: { type: 'string', default: '' } }), "'default' is not permitted"],
    ['has an unknown format', strictObject({ a: { type: 'string', format: 'uri' } }), "'uri' is not a valid format"],
    ['has an array without items', strictObject({ a: { type: 'array' } }), 'missing items'],
    ['has no type inside', strictObject({ a: {} }), "must have a 'type' key"],
    ['is an array', { type: 'array', items: { type: 'string' } }, 'type: "object"'],
    ['is not JSON Schema', strictObject({ a: { type: 'text' } }), 'not a valid JSON Schema'],
  ])('when the strict schema %s', async (_, schema, message) => {
    await start()
    expect((await send(chat(strictFormat(schema)))).json().error).toMatchObject({
      message: expect.stringContaining(message),
    })
    const strictTool = tool('a', { strict: true, parameters: schema })
    expect((await send(chat({ tools: [strictTool] }))).json().error).toMatchObject({
      message: expect.stringContaining(message),
      code: 'invalid_function_parameters',
    })
  })

  test.each<[string, object[], string]>([
    ['two user turns in a row', [user('a'), user('b')], 'must alternate'],
    [
      'two assistant turns',
      [user('a'), { role: 'assistant', content: 'b' }, { role: 'assistant', content: 'c' }, user('d')],
      'must alternate',
    ],
    ['a first turn of the assistant', [{ role: 'assistant', content: 'b' }, user('a')], 'first message'],
    ['a last turn of the assistant', [user('a'), { role: 'assistant', content: 'b' }], 'last role'],
    ['a late system message', [user('a'), { role: 'system', content: 'b' }], 'at the beginning'],
    ['only a system message', [{ role: 'system', content: 'b' }], 'first message'],
    ['empty content', [user('')], 'must not be empty'],
    ['no parts', [user([])], 'must not be empty'],
    ['an empty part', [user([{ type: 'text', text: '' }])], "'messages[0].content[0].text'"],
    ['an empty system message', [{ role: 'system', content: '' }, user('a')], 'must not be empty'],
    ['an empty assistant turn', [user('a'), { role: 'assistant', content: '' }, user('b')], 'must not be empty'],
    ['an assistant turn of nothing', [user('a'), { role: 'assistant', content: null }, user('b')], 'got null'],
    ['an empty result', [user('a'), asking(call('1')), result('1', '')], 'must not be empty'],
    ['empty tool calls', [user('a'), asking(), user('b')], "Invalid 'messages[1].tool_calls'"],
    ['an unanswered call', [user('a'), asking(call('1'), call('2')), result('1')], 'did not have response messages: 2'],
    ['a call answered too late', [user('a'), asking(call('1')), user('b'), result('1')], 'did not have response'],
    ['a call answered twice', [user('a'), asking(call('1')), result('1'), result('1')], 'Duplicate value'],
    ['an unknown call answered', [user('a'), asking(call('1')), result('1'), result('2')], "'2' not found"],
    ['a result without a call', [user('a'), result('1')], "messages with role 'tool'"],
    ['two calls of an id', [user('a'), asking(call('1'), call('1')), result('1')], 'Duplicate value'],
    ['a call without an id', [user('a'), asking(call('')), result('')], "Invalid 'messages[1].tool_calls[0].id'"],
    [
      'too long an id',
      [user('a'), asking(call('x'.repeat(41))), result('1')],
      "Invalid 'messages[1].tool_calls[0].id'",
    ],
    ['a call of a bad name', [user('a'), asking(call('1', 'a b')), result('1')], '.function.name'],
    ['arguments that are not JSON', [user('a'), asking(call('1', 'a', '{')), result('1')], 'not a JSON object'],
    ['arguments that are text', [user('a'), asking(call('1', 'a', '"{}"')), result('1')], 'not a JSON object'],
    [
      'reasoning that was never issued',
      [user('a'), { role: 'assistant', content: 'b', reasoning_content: 'c' }, user('d')],
      "'messages[1].reasoning_content'",
    ],
  ])('with %s', async (_, messages, message) => {
    await start()
    const refusal = await send(conversation(...messages))
    expect(refusal.status).toBe(400)
    expect((refusal.json().error as JsonObject).message).toContain(message)
  })

  test('without a key, with a wrong key, for an unknown model or path, or when it is not JSON', async () => {
    await start([], { apiKey: 'sk-right', models: ['gpt-4o'] })
    const path = '/chat/completions'
    const right = { authorization: 'Bearer sk-right' }
    const statuses = [
      await post(provider, { path, headers: {}, body: chat() }),
      await post(provider, { path, headers, body: chat() }),
      await post(provider, { path, headers: right, body: chat({ model: 'other' }) }),
      await post(provider, { path: '/completions', headers: right, body: chat() }),
      await post(provider, { path, headers: right, body: '{' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 404, 404, 400])
    expect(provider.refusals).toHaveLength(5)
  })

  test('that has tool calls and offers no tools, where they are needed', async () => {
    const messages = [user('a'), asking(call('1')), result('1')]
    await start(undefined, { historyNeedsTools: true })
    expect((await send(conversation(...messages))).json().error).toMatchObject({ param: 'tools' })
    expect((await send({ ...conversation(...messages), tools: [tool('search')] })).status).toBe(200)
  })

  test('that loses or changes the reasoning, where it must return', async () => {
    await start([callTools([{ name: 'search', id: '1' }], { reasoning: 'I search.' })], { reasoningMustReturn: true })
    await send(chat())
    const again = async (fields: object) =>
      (await send(conversation(user('a'), { ...asking(call('1')), ...fields }, result('1')))).json().error
    expect(await again({})).toMatchObject({ message: expect.stringContaining('must be passed back') })
    expect(await again({ reasoning_content: 'changed' })).toMatchObject({ code: 'invalid_value' })
    expect(await again({ reasoning_content: 'I search.' })).toMatchObject({
      message: expect.stringContaining('script ends'),
    })
  })
})

describe('a request is read', () => {
  test('in neutral words', async () => {
    await start()
    const schema = strictObject({ price: { type: ['number', 'null'] } })
    const { status } = await send({
      ...conversation(
        { role: 'system', content: 'Be short.' },
        user([{ type: 'text', text: 'Look up a and b.' }]),
        { ...asking(call('1', 'search', '{"q":"a"}'), call('2', 'search', '{"q":"b"}')), content: 'Looking.' },
        result('2', 'B'),
        result('1', 'A'),
      ),
      tools: [tool('search', { description: 'Searches.', parameters: { type: 'object', properties: {} } })],
      tool_choice: 'required',
      stop: 'END',
      seed: 7,
      service_tier: 'flex',
      max_completion_tokens: 50,
      ...strictFormat(schema),
    })
    expect(status).toBe(200)
    expect(provider.requests[0]).toMatchObject({
      index: 0,
      system: 'Be short.',
      stream: false,
      messages: [
        { from: 'user', text: 'Look up a and b.' },
        {
          from: 'assistant',
          text: 'Looking.',
          toolCalls: [{ id: '1', name: 'search', args: { q: 'a' } }, { id: '2' }],
        },
        {
          from: 'tool',
          toolResults: [
            { id: '2', name: 'search', text: 'B' },
            { id: '1', text: 'A' },
          ],
        },
      ],
      tools: [{ name: 'search', description: 'Searches.', strict: false }],
      outputSchema: schema,
      parameters: { toolChoice: 'required', stop: ['END'], seed: 7, serviceTier: 'flex', maxOutputTokens: 50 },
    })
  })
})

describe('a reply', () => {
  const streamed = { stream: true, stream_options: { include_usage: true } }

  test('is one JSON object, or chunks that end with the usage', async () => {
    await start(() =>
      say('Hello there.', { reasoning: 'Greet.', usage: { input: 9, output: 3, cached: 4, reasoning: 1 } }),
    )
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 3,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 1 },
    }
    expect((await send(chat())).json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Hello there.', reasoning_content: 'Greet.' }, finish_reason: 'stop' }],
      usage,
    })
    const stream = await send(chat(streamed))
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    expect(stream.text.endsWith('data: [DONE]\n\n')).toBe(true)
    const events = stream.events()
    expect(events.at(-1)).toMatchObject({ choices: [], usage })
    expect(events.map((event) => (event.choices as JsonObject[])[0]).slice(1, -1)).toMatchObject([
      { delta: { reasoning_content: 'Greet.' } },
      { delta: { content: 'Hello ' } },
      { delta: { content: 'there.' } },
      { delta: {}, finish_reason: 'stop' },
    ])
    expect((await send(chat({ stream: true }))).text).not.toContain('usage')
  })

  test.each<[Reply, object]>([
    [say('cut of', { finish: 'length' }), { finish_reason: 'length' }],
    [say('', { finish: 'content_filter' }), { finish_reason: 'content_filter' }],
    [say('', { finish: 'refusal' }), { message: { content: null, refusal: expect.any(String) } }],
    [say('', { refusal: 'No.' }), { message: { content: null, refusal: 'No.' } }],
    [say(''), { message: { content: '' } }],
    [
      callTools([{ name: 'a', args: { x: 1 } }]),
      { message: { tool_calls: [{ id: expect.stringMatching(/^call_/), function: { arguments: '{"x":1}' } }] } },
    ],
    [
      callTools([
        { name: 'a', rawArgs: '"{}"', id: 'x' },
        { name: 'b', id: 'x' },
      ]),
      { message: { tool_calls: [{ id: 'x', function: { arguments: '"{}"' } }, { id: 'x' }] } },
    ],
    [
      callTools([{ name: 'a', id: null }]),
      { message: { tool_calls: [expect.not.objectContaining({ id: expect.anything() })] } },
    ],
  ])('%j', async (reply, choice) => {
    await start([reply])
    expect((await send(chat())).json().choices).toMatchObject([choice])
  })

  test.each<[Reply, number, string | null]>([
    [fail('rate_limited', { retryAfter: 2 }), 429, 'rate_limit_exceeded'],
    [fail('quota_spent'), 429, 'insufficient_quota'],
    [fail('context_too_long'), 400, 'context_length_exceeded'],
    [fail('unknown_model'), 404, 'model_not_found'],
    [fail('wrong_key'), 401, 'invalid_api_key'],
    [fail('server_error'), 500, null],
    [fail('unavailable'), 503, null],
    [fail('server_error', { status: 529 }), 529, null],
  ])('%j', async (reply, status, code) => {
    await start([reply])
    const failure = await send(chat(streamed))
    expect(failure.status).toBe(status)
    expect(failure.json().error).toMatchObject({ code })
    expect(failure.headers.get('retry-after')).toBe(reply.kind === 'fail' && reply.retryAfter ? '2' : null)
    expect(provider.refusals).toEqual([])
  })

  test('may have no usage, or nonsense for usage, and unknown fields', async () => {
    await start([say('a', { usage: 'none' }), say('a', { usage: { raw: 'many' }, extraFields: { provider: 'x' } })])
    expect((await send(chat())).json()).not.toHaveProperty('usage')
    expect((await send(chat())).json()).toMatchObject({ usage: 'many', provider: 'x' })
  })
})

test('models are listed, and embeddings are the same for the same text', async () => {
  await start([], { models: ['gpt-4o', 'embed'] })
  const models = await fetch(`${provider.baseUrl}/models`, { headers })
  expect(await models.json()).toMatchObject({ data: [{ id: 'gpt-4o' }, { id: 'embed' }] })
  const embed = (input: unknown) => post(provider, { path: '/embeddings', headers, body: { model: 'embed', input } })
  const [{ embedding: a }, { embedding: b }, { embedding: c }] = (await embed(['x', 'x', 'y'])).json().data as [
    JsonObject,
    JsonObject,
    JsonObject,
  ]
  expect(a).toEqual(b)
  expect(a).not.toEqual(c)
  expect((await embed('')).status).toBe(400)
})
