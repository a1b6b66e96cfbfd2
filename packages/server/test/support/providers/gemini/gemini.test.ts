import { afterEach, describe, expect, test } from 'vitest'
import { post } from '../client.ts'
import { type MockProvider, startMockProvider } from '../mock-provider.ts'
import { callTools, fail, type JsonObject, type Reply, type Script, say } from '../script.ts'
import type { ProviderOptions } from '../wire-format.ts'

let provider: MockProvider

async function start(script: Script = () => say('Hello there.'), options: ProviderOptions = {}) {
  provider = await startMockProvider('gemini', script, options)
}
afterEach(() => provider.close())

const headers = { 'x-goog-api-key': 'test' }
const content = (role: string, ...parts: object[]) => ({ role, parts })
const text = (words: string) => ({ text: words })
const user = (words: string) => content('user', text(words))
const call = (name: string, more: object = {}) => ({ functionCall: { name, args: {} }, ...more })
const response = (name: string, more: object = {}) => ({
  functionResponse: { name, response: { content: 'found' }, ...more },
})
const declare = (name: string, more: object = {}) => ({ name, description: 'Does.', ...more })
const tools = (...functionDeclarations: object[]) => ({ tools: [{ functionDeclarations }] })
const ask = (more: object = {}) => ({ contents: [user('hello')], ...more })
const talk = (...contents: object[]) => ({ contents })
const config = (generationConfig: object) => ask({ generationConfig })
const send = (body: unknown, model = 'gemini-2.5-pro', method = 'generateContent') =>
  post(provider, { path: `/models/${model}:${method}`, headers, body })
const messageOf = (answer: JsonObject) => (answer.error as JsonObject).message
const withSchema = (schema: object) => config({ responseMimeType: 'application/json', responseSchema: schema })

describe('a request is refused', () => {
  test.each<[string, object, string]>([
    ['without contents', {}, 'contents is not specified'],
    ['with no contents', talk(), 'contents is not specified'],
    ['with an unknown field', ask({ model: 'a' }), 'Unknown name "model": Cannot find field.'],
    ['with an unknown setting', config({ maxTokens: 1 }), 'Unknown name "maxTokens" at \'generation_config\''],
    ['with too high a temperature', config({ temperature: 3 }), 'generation_config.temperature: must be at most 2'],
    ['with six stops', config({ stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] }), 'stop_sequences'],
    ['with a system role', talk(content('system', text('a')), user('b')), 'valid role: user, model'],
    ['with a bad tool name', ask(tools(declare('1a'))), 'function_declarations[0].name'],
    ['with two tools of a name', ask(tools(declare('a'), declare('a'))), 'Duplicate function declaration found: a'],
    ['with a tool without a description', ask(tools({ name: 'a' })), 'description is not specified'],
    [
      'with unknown allowed names',
      ask({ toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['b'] } } }),
      'b is not a declared',
    ],
    [
      'with tools and JSON',
      { ...config({ responseMimeType: 'application/json' }), ...tools(declare('a')) },
      'is unsupported',
    ],
    ['with a schema for plain text', config({ responseSchema: { type: 'STRING' } }), 'mime type application/json'],
    [
      'with a level for an older model',
      config({ thinkingConfig: { thinkingLevel: 'low' } }),
      'not supported for this model',
    ],
    ['with budget and level', config({ thinkingConfig: { thinkingLevel: 'low', thinkingBudget: 1 } }), 'only one of'],
  ])('%s', async (_, body, message) => {
    await start()
    const refusal = await send(body)
    expect(refusal.status).toBe(400)
    expect(refusal.json().error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    expect(messageOf(refusal.json())).toContain(message)
    expect(provider.refusals).toHaveLength(1)
  })

  test.each<[string, object, string]>([
    [
      'closes an object',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      'Unknown name "additionalProperties"',
    ],
    ['has an object of nothing', { type: 'OBJECT', properties: {} }, 'should be non-empty for OBJECT type'],
    ['has an array without items', { type: 'ARRAY' }, 'items: missing field'],
    ['has two types', { type: ['string', 'null'] }, '.type'],
    ['lists numbers', { type: 'INTEGER', enum: [1] }, 'only allowed for STRING type'],
    ['has an unknown format', { type: 'STRING', format: 'uuid' }, "only 'enum' and 'date-time'"],
    [
      'requires what is not there',
      { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['b'] },
      'property is not defined',
    ],
    ['refers to another', { anyOf: [{ $ref: '#/a' }] }, 'Unknown name "$ref"'],
  ])('when the schema %s', async (_, schema, message) => {
    await start()
    expect(messageOf((await send(withSchema(schema))).json())).toContain(message)
    expect(messageOf((await send(ask(tools(declare('a', { parameters: schema }))))).json())).toContain(message)
  })

  test.each<[string, object[], string]>([
    ['no parts', [content('user')], 'must not be empty'],
    ['an empty part', [content('user', {})], "required oneof field 'data'"],
    [
      'a part of two kinds',
      [content('user', { text: 'a', functionCall: { name: 'b' } })],
      "required oneof field 'data'",
    ],
    ['an empty text', [user('')], 'empty text parameter'],
    ['a first turn of the model', [content('model', text('a')), user('b')], 'start with a user role'],
    ['a last turn of the model', [user('a'), content('model', text('b'))], 'end with a user role'],
    ['a call of the user', [content('user', call('a')), content('user', response('a'))], 'role model'],
    [
      'an unanswered call',
      [user('a'), content('model', call('b'), call('c')), content('user', response('b'))],
      'number of function response parts',
    ],
    [
      'a call answered by words',
      [user('a'), content('model', call('b')), user('c')],
      'number of function response parts',
    ],
    [
      'a response without a call',
      [user('a'), content('user', response('b'))],
      'immediately after a function call turn',
    ],
    [
      'a response of another name',
      [user('a'), content('model', call('b')), content('user', response('c'))],
      'does not answer',
    ],
    [
      'a response of another id',
      [
        user('a'),
        content('model', { functionCall: { id: '1', name: 'b' } }),
        content('user', response('b', { id: '2' })),
      ],
      'does not answer',
    ],
    [
      'two responses of a call',
      [user('a'), content('model', call('b'), call('c')), content('user', response('b'), response('b'))],
      'does not answer',
    ],
    [
      'a call after the model',
      [user('a'), content('model', text('b')), content('model', call('c')), content('user', response('c'))],
      'function call turn comes',
    ],
    [
      'a signature that was never issued',
      [user('a'), content('model', call('b', { thoughtSignature: 'x' })), content('user', response('b'))],
      'Corrupted thought signature',
    ],
    [
      'a response that is text',
      [user('a'), content('model', call('b')), content('user', response('b', { response: 'x' }))],
      'function_response.response',
    ],
  ])('with %s', async (_, contents, message) => {
    await start()
    const refusal = await send(talk(...contents))
    expect(refusal.status).toBe(400)
    expect(messageOf(refusal.json())).toContain(message)
  })

  test('without a key, with a wrong key, or for an unknown model, with the statuses that Google gives', async () => {
    await start([], { apiKey: 'test', models: ['gemini-2.5-pro'] })
    const path = '/models/gemini-2.5-pro:generateContent'
    const keyless = await post(provider, { path, headers: {}, body: ask() })
    expect(keyless.json().error).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' })
    const wrong = await post(provider, { path, headers: { 'x-goog-api-key': 'other' }, body: ask() })
    expect(wrong.json().error).toMatchObject({ code: 400, details: [{ reason: 'API_KEY_INVALID' }] })
    expect((await send(ask(), 'other')).status).toBe(404)
    expect((await send(ask(), 'gemini-2.5-pro', 'countTokens')).status).toBe(404)
  })
})

describe('a thought signature', () => {
  const model = 'gemini-3-pro'

  async function callTwo() {
    await start([callTools([{ name: 'a' }, { name: 'b' }]), say('Done.')])
    const answer = (await send(ask(tools(declare('a'), declare('b'))), model)).json()
    const [{ content: called }] = answer.candidates as [{ content: { parts: [JsonObject, JsonObject] } }]
    const { parts } = called
    const next = (...sent: object[]) =>
      send(talk(user('hello'), content('model', ...sent), content('user', response('a'), response('b'))), model)
    return { parts, next }
  }

  test('is on the first of parallel calls, and comes back', async () => {
    const { parts, next } = await callTwo()
    expect(parts[0]).toHaveProperty('thoughtSignature')
    expect(parts[1]).not.toHaveProperty('thoughtSignature')
    expect((await next(...parts)).status).toBe(200)
    expect(provider.refusals).toEqual([])
  })

  test.each<[string, (first: JsonObject) => object, string]>([
    ['lost', ({ functionCall }) => ({ functionCall }), 'missing a thought_signature'],
    ['changed', (first) => ({ ...first, thoughtSignature: 'x' }), 'Corrupted'],
    [
      'replaced by the placeholder',
      (first) => ({ ...first, thoughtSignature: 'skip_thought_signature_validator' }),
      'Corrupted',
    ],
  ])('that is %s is refused', async (_, change, message) => {
    const { parts, next } = await callTwo()
    const refusal = await next(change(parts[0]), parts[1])
    expect(refusal.status).toBe(400)
    expect(messageOf(refusal.json())).toContain(message)
  })

  test('of an earlier turn may be left out, and a call of another model may have the placeholder', async () => {
    const { parts } = await callTwo()
    const [{ functionCall }, second] = parts
    const asked = [user('hello'), content('model', { functionCall }, second)]
    const earlier = [...asked, content('user', response('a'), response('b')), content('model', text('Done.'))]
    const foreign = content('model', call('c', { thoughtSignature: 'skip_thought_signature_validator' }))
    expect((await send(talk(...earlier, user('more'), foreign, content('user', response('c'))), model)).status).toBe(
      200,
    )
  })
})

test('a request is read in neutral words', async () => {
  await start()
  const schema = { type: 'OBJECT', properties: { price: { type: 'NUMBER' } } }
  const { status } = await send(
    {
      ...talk(
        user('Look up a.'),
        content('model', text('Looking.'), { functionCall: { id: '1', name: 'search', args: { q: 'a' } } }),
        content('user', response('search', { id: '1' }), text('Be quick.')),
      ),
      systemInstruction: { parts: [text('Be short.')] },
      ...tools(declare('search')),
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: {
        maxOutputTokens: 50,
        stopSequences: ['END'],
        responseMimeType: 'application/json',
        responseSchema: schema,
      },
    },
    'gemini-3-pro',
  )
  expect(status).toBe(200)
  expect(provider.requests[0]).toMatchObject({
    model: 'gemini-3-pro',
    system: 'Be short.',
    messages: [
      { from: 'user', text: 'Look up a.' },
      { from: 'assistant', text: 'Looking.', toolCalls: [{ id: '1', name: 'search', args: { q: 'a' } }] },
      { from: 'tool', toolResults: [{ id: '1', name: 'search', text: 'found' }] },
      { from: 'user', text: 'Be quick.' },
    ],
    tools: [{ name: 'search', description: 'Does.' }],
    outputSchema: schema,
    parameters: { maxOutputTokens: 50, toolChoice: 'required', stop: ['END'] },
  })
})

describe('a reply', () => {
  const stream = (alt: string) => send(ask(), 'gemini-2.5-pro', `streamGenerateContent${alt}`)

  test('is a stream of partial answers, or without alt=sse one array', async () => {
    const usage = { input: 9, output: 5, cached: 4, reasoning: 2 }
    await start(() => callTools([{ name: 'search', args: { q: 'a' } }], { text: 'Looking up.', usage }))
    const parts = [{ text: 'Looking ' }, { text: 'up.' }, { functionCall: { name: 'search', args: { q: 'a' } } }]
    const expected = [
      ...parts.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] })),
      {
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 3,
          thoughtsTokenCount: 2,
          cachedContentTokenCount: 4,
          totalTokenCount: 14,
        },
      },
    ]
    expect((await stream('?alt=sse')).events()).toMatchObject(expected)
    expect((await stream('')).json()).toMatchObject(expected)
  })

  test('shows its thoughts only where they were asked for, and signs them always', async () => {
    await start(() => say('Hi.', { reasoning: 'Greet.' }))
    const partsFor = async (body: object) => {
      const [candidate] = (await send(body)).json().candidates as { content: { parts: JsonObject[] } }[]
      return candidate?.content.parts
    }
    const signed = { text: 'Hi.', thoughtSignature: expect.any(String) }
    expect(await partsFor(ask())).toEqual([signed])
    const open = config({ thinkingConfig: { includeThoughts: true } })
    expect(await partsFor(open)).toEqual([{ text: 'Greet.', thought: true }, signed])
  })

  test.each<[Reply, object]>([
    [say('cut of', { finish: 'length' }), { candidates: [{ finishReason: 'MAX_TOKENS' }] }],
    [
      say('', { finish: 'content_filter' }),
      { candidates: [{ finishReason: 'SAFETY', safetyRatings: [{ blocked: true }] }] },
    ],
    [say('', { refusal: 'No.' }), { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }],
    [say(''), { candidates: [{ content: { role: 'model' }, finishReason: 'STOP' }] }],
    [callTools([{ name: 'a', rawArgs: '{' }]), { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }],
    [
      callTools([{ name: 'a', id: null }]),
      { candidates: [{ content: { parts: [{ functionCall: { name: 'a', args: {} } }] } }] },
    ],
  ])('%j', async (reply, answer) => {
    await start([reply])
    expect((await send(ask())).json()).toMatchObject(answer)
  })

  test.each<[Reply, number, string]>([
    [fail('rate_limited', { retryAfter: 2 }), 429, 'RESOURCE_EXHAUSTED'],
    [fail('quota_spent'), 429, 'RESOURCE_EXHAUSTED'],
    [fail('overloaded'), 503, 'UNAVAILABLE'],
    [fail('server_error'), 500, 'INTERNAL'],
    [fail('wrong_key'), 400, 'INVALID_ARGUMENT'],
    [fail('unknown_model'), 404, 'NOT_FOUND'],
  ])('%j', async (reply, code, status) => {
    await start([reply])
    const failure = await stream('?alt=sse')
    expect(failure.status).toBe(code)
    expect(failure.json().error).toMatchObject({ code, status })
    if (reply.kind === 'fail' && reply.retryAfter) expect(failure.text).toContain('"retryDelay":"2s"')
  })
})
