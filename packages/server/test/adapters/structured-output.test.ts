// Structured output in each wire format: native where the provider takes the schema, in words where it does not.
import { afterEach, describe, expect, test } from 'vitest'
import { jsonTextKeyword } from '../../src/models/port/model.ts'
import { type Adapter, adapters, type OpenAdapter, openAdapter } from '../support/adapters.ts'
import { fail, say } from '../support/providers/script.ts'

let own: OpenAdapter
afterEach(() => own.provider.close())

const schemas = {
  strict: {
    type: 'object',
    properties: { price: { type: 'number' } },
    required: ['price'],
    additionalProperties: false,
  },
  'with an optional property': {
    type: 'object',
    properties: { price: { type: 'number' }, note: { type: 'string' } },
    required: ['price'],
  },
  'with free keys': { type: 'object', additionalProperties: { type: 'number' } },
  'with limits': {
    type: 'object',
    properties: { prices: { type: 'array', items: { type: 'number', minimum: 0 }, maxItems: 3 } },
    required: ['prices'],
    additionalProperties: false,
  },
}
const tool = {
  name: 'query',
  description: 'Takes anything.',
  inputSchema: {
    type: 'object',
    properties: { value: {}, filters: { type: 'object', additionalProperties: { type: 'string' } } },
    required: ['value'],
  },
}

const isStrict = (schema: object) => schema === schemas.strict || schema === schemas['with limits']
const always = () => true
const enforces: Readonly<Record<Adapter, (schema: object) => boolean>> = {
  'openai-compatible': () => false,
  'openai-chat': isStrict,
  openai: isStrict,
  anthropic: always,
  google: always,
}

async function askFor(adapter: Adapter, outputSchema: object, more: { tools?: (typeof tool)[]; model?: string } = {}) {
  const quirks: string[] = []
  const { tools = [], ...options } = more
  const script = () => say('{"price": 1}')
  own = await openAdapter(adapter, script, { ...options, onQuirk: (quirk) => quirks.push(quirk) })
  await own.reply({ outputSchema: outputSchema as Record<string, unknown>, tools })
  const [request] = own.provider.requests
  // Where the server does not enforce it, the schema is told in words.
  const isEnforced = request?.outputSchema !== undefined && enforces[adapter](outputSchema)
  expect(request?.system.includes(JSON.stringify(outputSchema))).toBe(!isEnforced)
  return { quirks, request }
}

describe.each(adapters)('through %s', (adapter) => {
  test.each(Object.entries(schemas))('a schema that is %s is accepted at the first try', async (name, schema) => {
    const { quirks, request } = await askFor(adapter, schema)
    expect(own.provider.refusals).toEqual([])
    expect(quirks).toEqual([])
    // Anthropic would close an object with free keys, and the answer could only be empty.
    const isNative = !(adapter === 'anthropic' && name === 'with free keys')
    expect(request?.outputSchema !== undefined).toBe(isNative)
  })

  test('with tools whose schemas are free-form', async () => {
    const { quirks, request } = await askFor(adapter, schemas.strict, { tools: [tool] })
    expect(own.provider.refusals).toEqual([])
    expect(quirks).toEqual([])
    expect(request?.outputSchema).toBeDefined()
    expect(request?.tools).toMatchObject([{ name: 'query', inputSchema: tool.inputSchema, strict: false }])
  })

  test('a model that refuses one schema is asked in words, and other schemas are still sent', async () => {
    const quirks: string[] = []
    const odd = { ...schemas.strict, description: 'Odd.' }
    const isOdd = (schema: object | undefined) => JSON.stringify(schema ?? {}).includes('Odd.')
    const refusal = fail('bad_request', { message: 'Invalid schema for response_format: too odd.' })
    const onQuirk = (quirk: string) => quirks.push(quirk)
    own = await openAdapter(adapter, (asked) => (isOdd(asked.outputSchema) ? refusal : say('{}')), { onQuirk })
    for (const outputSchema of [schemas.strict, odd, odd, schemas.strict]) await own.reply({ outputSchema })
    const sent = own.provider.requests.map(({ outputSchema }) => outputSchema !== undefined)
    expect(sent).toEqual([true, true, false, false, true])
    expect(quirks).toEqual([expect.stringMatching(/^no_schema:/)])
  })

  test('a model that has never taken a schema is not sent another one', async () => {
    const refusal = fail('bad_request', { message: 'response_format is not supported.' })
    own = await openAdapter(adapter, (asked) => (asked.outputSchema ? refusal : say('{}')))
    for (const outputSchema of [schemas.strict, schemas['with limits']]) await own.reply({ outputSchema })
    const sent = own.provider.requests.map(({ outputSchema }) => outputSchema !== undefined)
    expect(sent).toEqual([true, false, false])
  })
})

test('OpenAI enforces a schema that its strict mode takes, and only such a one', async () => {
  const strictOf = async (schema: object) => {
    const { request } = await askFor('openai', schema)
    await own.provider.close()
    const { text } = (request?.body ?? {}) as { text?: { format: { strict: boolean } } }
    return text?.format.strict
  }
  expect(await strictOf(schemas.strict)).toBe(true)
  expect(await strictOf(schemas['with an optional property'])).toBe(false)
  expect(await strictOf(schemas['with free keys'])).toBe(false)
})

test('Gemini before 3 takes no schema together with tools: it is asked in words, and keeps its tools', async () => {
  const { quirks, request } = await askFor('google', schemas.strict, { tools: [tool], model: 'gemini-2.5-flash' })
  expect(own.provider.refusals).toEqual([])
  expect(quirks).toEqual([])
  expect(request).toMatchObject({ outputSchema: undefined, tools: [{ name: 'query' }] })
})

test('a Responses request never asks for fewer tokens than the smallest limit', async () => {
  own = await openAdapter('openai', [say('Hi.')])
  await own.reply({ maxOutputTokens: 3 })
  expect(own.provider.requests[0]?.parameters.maxOutputTokens).toBe(16)
})

describe('an open object that may be given as JSON in a text', () => {
  const open = { type: 'object', [jsonTextKeyword]: true }
  const schema = { type: 'object', properties: { tool: { type: 'string' }, input: open }, required: ['tool'] }
  const sent = { ...schema, properties: { ...schema.properties, input: { type: 'object' } } }

  test('is a text where only closed objects are enforced', async () => {
    own = await openAdapter('anthropic', [say('{"tool": "a"}')])
    await own.reply({ outputSchema: schema })
    expect(own.provider.refusals).toEqual([])
    expect(own.provider.requests[0]?.outputSchema).toMatchObject({
      properties: { input: { type: 'string', description: 'A JSON object, as text' } },
    })
    expect(own.provider.requests[0]?.system).not.toContain('JSON Schema')
  })

  test.each(adapters.filter((adapter) => adapter !== 'anthropic'))('is sent to %s as it is', async (adapter) => {
    own = await openAdapter(adapter, [say('{"tool": "a"}')])
    await own.reply({ outputSchema: schema })
    expect(own.provider.refusals).toEqual([])
    expect(own.provider.requests[0]?.outputSchema).toMatchObject({ properties: sent.properties })
    expect(JSON.stringify(own.provider.requests[0]?.body)).not.toContain(jsonTextKeyword)
  })
})
