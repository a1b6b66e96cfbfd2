import { afterEach, describe, expect, test } from 'vitest'
import { post } from '../client.ts'
import { type MockProvider, startMockProvider } from '../mock-provider.ts'
import { callTools, fail, type JsonObject, type Reply, type Script, say } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'

let provider: MockProvider

async function start(script: Script = () => say('Hello there.'), options: ProviderOptions = {}) {
  provider = await startMockProvider('openai-responses', script, options)
}
afterEach(() => provider.close())

const headers = { authorization: 'Bearer sk-test' }
const user = (content: unknown) => ({ role: 'user', content })
const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'search',
  arguments: '{"q":"a"}',
  ...more,
})
const output = (id: string, words: unknown = 'found') => ({ type: 'function_call_output', call_id: id, output: words })
const tool = (name: string, more: object = {}) => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: {} },
  ...more,
})
const ask = (more: object = {}) => ({ model: 'gpt-5', input: 'hello', ...more })
const talk = (...input: object[]) => ask({ input })
const send = (body: unknown) => post(provider, { path: '/responses', headers, body })
const errorText = (answer: JsonObject) => Object.values(answer.error as JsonObject).join(' ')
const jsonFormat = (schema: object) => ({
  text: { format: { type: 'json_schema', name: 'out', strict: true, schema } },
})
const inTheOpen = { store: false, include: ['reasoning.encrypted_content'] }

describe('a request is refused', () => {
  test.each<[string, object, string]>([
    ['without input', { model: 'm' }, "Missing required parameter: 'input'."],
    ['with messages', { ...ask(), messages: [] }, "Unknown parameter: 'messages'."],
    ['with a stop', ask({ stop: ['a'] }), "Unknown parameter: 'stop'."],
    ['with too few tokens to answer', ask({ max_output_tokens: 15 }), "Invalid 'max_output_tokens'"],
    ['with no item', ask({ input: [] }), "Invalid 'input'"],
    ['with a temperature for a reasoning model', ask({ temperature: 0.5 }), "'temperature' is not supported"],
    ['with an effort for another model', ask({ model: 'gpt-4o', reasoning: { effort: 'low' } }), "'reasoning.effort'"],
    ['with secrets of another model', ask({ model: 'gpt-4o', ...inTheOpen }), 'Encrypted content is not supported'],
    [
      'with a tool of the chat format',
      ask({ tools: [{ type: 'function', function: { name: 'a' } }] }),
      'tools[0].name',
    ],
    ['with a bad tool name', ask({ tools: [tool('a b')] }), "Invalid 'tools[0].name'"],
    ['with two tools of a name', ask({ tools: [tool('a'), tool('a')] }), 'unique'],
    ['with a loose strict tool', ask({ tools: [tool('a', { strict: true })] }), "'additionalProperties' is required"],
    ['choosing an unknown tool', ask({ tool_choice: { type: 'function', name: 'b' } }), "'b' not found"],
    ['with a loose schema', ask(jsonFormat({ type: 'object', properties: {} })), "'additionalProperties' is required"],
    ['with JSON asked for in no word', ask({ text: { format: { type: 'json_object' } } }), "the word 'json'"],
    ['after an unknown response', ask({ previous_response_id: 'resp_1' }), 'previous_response_not_found'],
  ])('%s', async (_, body, message) => {
    await start()
    const refusal = await send(body)
    expect(refusal.status).toBe(400)
    expect(errorText(refusal.json())).toContain(message)
    expect(provider.refusals).toHaveLength(1)
  })

  test.each<[string, object[], string]>([
    ['a part of the chat format', [user([{ type: 'text', text: 'a' }])], 'input[0].content[0].type'],
    ['a part of the other side', [user([{ type: 'output_text', text: 'a' }])], 'input[0].content[0].type'],
    ['an empty part', [user([{ type: 'input_text', text: '' }])], 'must not be empty'],
    ['an empty message', [user('')], 'must not be empty'],
    ['an empty output', [user('a'), call('1'), output('1', '')], 'must not be empty'],
    ['an unanswered call', [user('a'), call('1'), call('2'), output('1')], 'No tool output found for function call 2'],
    ['an output without a call', [user('a'), output('1')], 'No tool call found'],
    ['an output before its call', [user('a'), output('1'), call('1')], 'No tool call found'],
    ['two outputs of a call', [user('a'), call('1'), output('1'), output('1')], 'Duplicate'],
    ['two calls of an id', [user('a'), call('1'), call('1'), output('1')], 'Duplicate'],
    ['an id of another kind', [user('a'), call('1', { id: 'call_1' }), output('1')], "begins with 'fc'"],
    ['too long a call id', [user('a'), call('x'.repeat(65)), output('1')], "Invalid 'input[1].call_id'"],
    [
      'reasoning that was never issued',
      [user('a'), { type: 'reasoning', summary: [], encrypted_content: 'x' }, call('1'), output('1')],
      'invalid_encrypted_content',
    ],
  ])('with %s', async (_, input, message) => {
    await start()
    const refusal = await send(talk(...input))
    expect(refusal.status).toBe(400)
    expect(errorText(refusal.json())).toContain(message)
  })

  test('without a key, and when it refers to an unknown item', async () => {
    await start()
    expect((await post(provider, { path: '/responses', headers: {}, body: ask() })).status).toBe(401)
    expect((await send(talk(user('a'), { type: 'item_reference', id: 'msg_1' }))).status).toBe(404)
  })
})

describe('reasoning', () => {
  async function reasonAndCall(fields: object) {
    await start([callTools([{ name: 'search', id: 'call_1' }], { reasoning: 'I search.' }), say('Done.')])
    const answer = (await send(ask({ ...fields, tools: [tool('search')] }))).json()
    const [reasoning, called] = answer.output as [JsonObject, JsonObject]
    const next = (...items: object[]) => send({ ...talk(user('hello'), ...items, output('call_1')), ...fields })
    return { answer, reasoning, called, next }
  }

  test('comes back with its encrypted content', async () => {
    const { reasoning, called, next } = await reasonAndCall(inTheOpen)
    expect(reasoning).toMatchObject({ type: 'reasoning', encrypted_content: expect.any(String) })
    expect((await next(reasoning, called)).status).toBe(200)
    expect(provider.refusals).toEqual([])
  })

  test.each<[string, (reasoning: JsonObject, called: JsonObject) => object[], string]>([
    ['lost', (_, called) => [called], "without its required 'reasoning' item"],
    ['lost, and the call without its id', () => [call('call_1')], "without its required 'reasoning' item"],
    ['changed', (reasoning, called) => [{ ...reasoning, encrypted_content: 'x' }, called], 'invalid_encrypted_content'],
    ['last', (reasoning, called) => [called, reasoning], "without its required 'reasoning' item"],
    ['apart from its call', (reasoning, called) => [reasoning, user('b'), called], 'required following item'],
    ['sent twice', (reasoning, called) => [reasoning, reasoning, called], 'Duplicate item'],
  ])('that is %s is refused', async (_, items, message) => {
    const { reasoning, called, next } = await reasonAndCall(inTheOpen)
    const refusal = await next(...items(reasoning, called))
    expect(refusal.status).toBe(400)
    expect(errorText(refusal.json())).toContain(message)
  })

  test('that was not stored can not be referred to', async () => {
    const { reasoning, called, next } = await reasonAndCall(inTheOpen)
    expect((await next({ type: 'item_reference', id: reasoning.id }, called)).status).toBe(404)
    expect((await next({ ...reasoning, encrypted_content: null }, called)).status).toBe(404)
  })

  test('that was stored comes back by reference, or with the previous response', async () => {
    const { answer, reasoning, called, next } = await reasonAndCall({})
    const references = [reasoning, called].map(({ id }) => ({ type: 'item_reference', id }))
    expect((await next(...references)).status).toBe(200)
    expect(provider.requests[1]?.messages.at(-1)?.toolResults).toMatchObject([{ name: 'search', text: 'found' }])
    const continued = await send({ ...talk(output('call_1')), previous_response_id: answer.id })
    expect(errorText(continued.json())).toContain('script ends')
    const forgotten = await send({ ...talk(user('more')), previous_response_id: answer.id })
    expect(errorText(forgotten.json())).toContain('No tool output found')
  })
})

test('a request is read in neutral words', async () => {
  await start()
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false }
  const { status } = await send({
    ...talk(
      { role: 'developer', content: 'Be quick.' },
      user([{ type: 'input_text', text: 'Look up a.' }]),
      { role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
      call('1'),
      call('2'),
      output('1', 'A'),
      output('2', [{ type: 'input_text', text: 'B' }]),
    ),
    instructions: 'Be short.',
    tools: [tool('search', { description: 'Searches.' })],
    reasoning: { effort: 'low' },
    max_output_tokens: 50,
    ...jsonFormat(schema),
  })
  expect(status).toBe(200)
  expect(provider.requests[0]).toMatchObject({
    system: 'Be short.\nBe quick.',
    messages: [
      { from: 'user', text: 'Look up a.' },
      { from: 'assistant', text: 'Looking.', toolCalls: [{ id: '1', args: { q: 'a' } }, { id: '2' }] },
      {
        from: 'tool',
        toolResults: [
          { id: '1', name: 'search', text: 'A' },
          { id: '2', text: 'B' },
        ],
      },
    ],
    tools: [{ name: 'search', description: 'Searches.' }],
    outputSchema: schema,
    parameters: { maxOutputTokens: 50, reasoningEffort: 'low' },
  })
})

describe('a reply', () => {
  test('is a stream of numbered events', async () => {
    const usage = { input: 9, output: 5, cached: 4, reasoning: 2 }
    await start([
      callTools([{ name: 'search', args: { q: 'a' } }], { text: 'Looking up.', reasoning: 'Search.', usage }),
    ])
    const events = (await send(ask({ stream: true, reasoning: { summary: 'auto' } }))).events()
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    expect(events.map(({ type }) => String(type).replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ])
    expect(events.at(-1)).toMatchObject({
      response: {
        status: 'completed',
        output: [{ type: 'reasoning' }, { type: 'message' }, { type: 'function_call', arguments: '{"q":"a"}' }],
        usage: {
          input_tokens: 9,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens_details: { reasoning_tokens: 2 },
          total_tokens: 14,
        },
      },
    })
  })

  test.each<[Reply, object]>([
    [
      say('cut of', { finish: 'length' }),
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ],
    [say('', { finish: 'content_filter' }), { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    [say('', { refusal: 'No.' }), { output: [{ content: [{ type: 'refusal', refusal: 'No.' }] }] }],
    [say(''), { status: 'completed', output: [] }],
    [
      callTools([{ name: 'a', rawArgs: '{' }]),
      { output: [{ call_id: expect.stringMatching(/^call_/), arguments: '{' }] },
    ],
    [callTools([{ name: 'a', id: null }]), { output: [expect.not.objectContaining({ call_id: expect.anything() })] }],
  ])('%j', async (reply, response) => {
    await start([reply])
    expect((await send(ask())).json()).toMatchObject(response)
  })

  test.each<[Reply, number, string]>([
    [fail('rate_limited', { retryAfter: 2 }), 429, 'rate_limit_exceeded'],
    [fail('quota_spent'), 429, 'insufficient_quota'],
    [fail('context_too_long'), 400, 'context_length_exceeded'],
  ])('%j', async (reply, status, code) => {
    await start([reply])
    const failure = await send(ask({ stream: true }))
    expect(failure.status).toBe(status)
    expect(failure.json().error).toMatchObject({ code })
  })
})
