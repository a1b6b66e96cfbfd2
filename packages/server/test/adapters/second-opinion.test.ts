// The adapters against a mock that others wrote, in the formats that the scenarios of `provider-rows` do not use.
import { LLMock } from '@copilotkit/aimock'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Message, ModelReply, ModelRequest } from '../../src/models/port/model.ts'
import { openProviderModel } from '../../src/models/provider/open-model.ts'
import { hello, repeated, results, smallestAsk } from '../support/adapters.ts'

const mock = new LLMock({ port: 0 })
beforeAll(async () => {
  await mock.start()
})
afterAll(() => mock.stop())
afterEach(() => void mock.reset())

const formats = [
  ['openai', 'gpt-5', '/v1'],
  ['anthropic', 'claude-sonnet-4-5', '/v1'],
  ['google', 'gemini-3-pro', '/v1beta'],
] as const

const tools = [{ name: 'look_up', description: 'Looks up.', inputSchema: { type: 'object', properties: {} } }]

describe.each(formats)('through %s', (format, model, path) => {
  async function ask(request: Partial<ModelRequest> = {}) {
    const server = { baseUrl: `${mock.url}${path}`, apiKey: 'sk-test' }
    const opened = await openProviderModel({ name: `${format}/${model}`, format, model, server })
    return opened.respond({ ...smallestAsk, ...request })
  }

  test('a text comes in pieces', async () => {
    const heard: string[] = []
    mock.on({}, { content: 'It is on its way to you.' }, { chunkSize: 6 })
    const outcome = await ask({ onText: (text) => void heard.push(text) })
    expect(outcome).toMatchObject({ kind: 'reply', text: 'It is on its way to you.', finish: 'complete' })
    expect(heard.length).toBeGreaterThan(2)
  })

  test('two calls in one reply, and their results go back', async () => {
    const toolCalls = [1, 2].map((n) => ({ name: 'look_up', arguments: JSON.stringify({ n }) }))
    mock.on({ sequenceIndex: 0 }, { toolCalls })
    mock.on({}, { content: 'Both found.' })
    const asked = (await ask({ tools })) as ModelReply
    expect(asked.toolCalls.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }])
    const messages: Message[] = [...hello, repeated(asked), ...results(asked)]
    expect(await ask({ messages, tools })).toMatchObject({ kind: 'reply', text: 'Both found.' })
  })

  test.each([
    [429, 'provider_rate_limited', 'call'],
    [503, 'provider_unavailable', 'call'],
    [401, 'provider_auth', 'never'],
    [400, 'provider_error', 'never'],
  ])('%i is %s', async (status, reasonCode, retry) => {
    mock.on({}, { error: { message: 'No.' }, status })
    expect(await ask()).toMatchObject({ kind: 'failure', reasonCode, retry })
  })

  test('a stream that is cut is no reply', async () => {
    mock.on({}, { content: 'It is on its way to you.' }, { chunkSize: 4, truncateAfterChunks: 3 })
    expect(await ask()).toMatchObject({ kind: 'failure', reasonCode: 'provider_unavailable', retry: 'call' })
  })

  test('structured output is asked for natively', async () => {
    mock.on({}, { content: '{"price": 1}' })
    const outputSchema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
    expect(await ask({ outputSchema })).toMatchObject({ kind: 'reply', text: '{"price": 1}' })
  })
})

// In Responses, aimock sends neither the event nor the reason of an answer that was cut; README.md of the mocks has it.
describe.each(formats.slice(1))('an end through %s', (format, model, path) => {
  test.each([
    ['length', 'length', { kind: 'reply', finish: 'length' }],
    // aimock passes on what Anthropic never sends.
    ['the content filter', format === 'anthropic' ? 'refusal' : 'content_filter', { reasonCode: 'provider_refused' }],
  ])('by %s', async (_, finishReason, expected) => {
    mock.on({}, { content: 'Well', finishReason })
    const server = { baseUrl: `${mock.url}${path}`, apiKey: 'sk-test' }
    const opened = await openProviderModel({ name: `${format}/${model}`, format, model, server })
    expect(await opened.respond(smallestAsk)).toMatchObject(expected)
  })
})
