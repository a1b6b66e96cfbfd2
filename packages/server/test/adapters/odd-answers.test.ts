// Answers that are right but for a detail: counts of a wrong type, unknown events, unknown parts. The reply counts,
// and what cannot be counted is estimated.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openProviderModel } from '../../src/models/provider/open-model.ts'
import { type Adapter, adapters, smallestAsk } from '../support/adapters.ts'
import { eventText } from '../support/providers/sse.ts'

type Event = Record<string, unknown>

const named = (event: Event) => eventText(event as never, String(event.type))
const plain = (event: Event) => eventText(event as never)

interface Odd {
  /** Between the two halves of the text. */
  readonly between?: readonly Event[]
  /** In the place of the real one. */
  readonly usage?: unknown
  /** How many events at the end are missing. */
  readonly missing?: number
}

const chat = ({ between = [], usage = { prompt_tokens: 3, completion_tokens: 2 } }: Odd) => {
  const choice = (fields: Event) => plain({ id: '1', model: 'm', created: 1, choices: [{ index: 0, ...fields }] })
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }
  const halves = ['Hel', 'lo'].map((content) => choice({ delta: { content } }))
  return [halves[0], ...between.map(plain), halves[1], plain({ id: '1', model: 'm', ...end }), 'data: [DONE]\n\n']
}

const anthropic = ({ between = [], usage = { output_tokens: 2 } }: Odd) => {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], stop_reason: null }
  const text = (half: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: half } })
  return [
    {
      type: 'message_start',
      message: { ...message, stop_sequence: null, usage: { input_tokens: 3, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    text('Hel'),
    ...between,
    text('lo'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ].map(named)
}

const responses = ({ between = [], usage = { input_tokens: 3, output_tokens: 2 } }: Odd) => {
  const text = (delta: string) => ({
    ...{ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta },
  })
  return [
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'g' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } },
    text('Hel'),
    ...between,
    text('lo'),
    { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'i' } },
    { type: 'response.completed', response: { usage } },
  ].map(named)
}

const gemini = ({ between = [], usage = { promptTokenCount: 3, candidatesTokenCount: 2 } }: Odd) => {
  const candidate = (text: string) => ({ content: { role: 'model', parts: [{ text }] } })
  const end = { candidates: [{ ...candidate('lo'), finishReason: 'STOP' }], usageMetadata: usage }
  return [{ candidates: [candidate('Hel')] }, ...between, end].map(plain)
}

const streams: Readonly<Record<Adapter, (odd: Odd) => readonly (string | undefined)[]>> = {
  'openai-compatible': chat,
  'openai-chat': chat,
  openai: responses,
  anthropic,
  google: gemini,
}

let server: Server | undefined
afterEach(() => new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined))))

/** `pieceLength` cuts the answer regardless of its events. */
async function answerOf(adapter: Adapter, odd: Odd, pieceLength = Number.POSITIVE_INFINITY) {
  const events = streams[adapter](odd)
  const body = Buffer.from(events.slice(0, events.length - (odd.missing ?? 0)).join(''))
  server = createServer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < body.length; at += pieceLength) {
      response.write(body.subarray(at, at + pieceLength))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { name: `${adapter}/m`, format: adapter, model: 'm', server: { baseUrl, apiKey: 'sk-test' } }
  return (await openProviderModel(options)).respond(smallestAsk)
}

const counted = { kind: 'reply', text: 'Hello', usage: { total: 5, input: 3, output: 2 } }
const estimated = { kind: 'reply', text: 'Hello', usage: { estimated: true } }

test.each(adapters)('%s: an answer without oddities', async (adapter) => {
  expect(await answerOf(adapter, {})).toMatchObject(counted)
})

const chatDetails = {
  prompt_tokens: 3,
  completion_tokens: 2,
  prompt_tokens_details: 'x',
  completion_tokens_details: [1],
}
const numbersAsText: readonly (readonly [Adapter, unknown])[] = [
  ['openai-compatible', { prompt_tokens: '3', completion_tokens: '2' }],
  ['openai-compatible', chatDetails],
  ['openai-chat', { prompt_tokens: '3', completion_tokens: '2' }],
  ['openai-chat', chatDetails],
  ['openai', { input_tokens: '3', output_tokens: '2' }],
  ['anthropic', { output_tokens: '2' }],
  ['google', { promptTokenCount: '3', candidatesTokenCount: '2' }],
]

test.each(numbersAsText)('%s: counts that can still be read: %j', async (adapter, usage) => {
  expect(await answerOf(adapter, { usage })).toMatchObject(counted)
})

const unusable = ['none', [], null, { output_tokens: {}, completion_tokens: {}, candidatesTokenCount: true }]
const everyUnusable = adapters.flatMap((adapter) => unusable.map((usage) => [adapter, usage] as const))

test.each(everyUnusable)('%s: counts that cannot be read are estimated: %j', async (adapter, usage) => {
  expect(await answerOf(adapter, { usage })).toMatchObject(estimated)
})

const block = { type: 'content_block_start', index: 1, content_block: { type: 'future', x: 1 } }
const unknown: readonly (readonly [Adapter, string, readonly Event[]])[] = [
  ['openai-compatible', 'event', [{ object: 'surprise' }]],
  ['openai-compatible', 'part', [{ id: '1', choices: [{ index: 0, delta: { content: [{ type: 'future' }] } }] }]],
  ['openai-chat', 'event', [{ object: 'surprise' }]],
  ['openai-chat', 'part', [{ id: '1', choices: [{ index: 0, delta: { content: [{ type: 'future' }] } }] }]],
  ['openai', 'event', [{ type: 'response.surprise', a: 1 }]],
  ['openai', 'item', [{ type: 'response.output_item.added', output_index: 1, item: { type: 'future', id: 'x' } }]],
  ['anthropic', 'event', [{ type: 'surprise', a: 1 }]],
  [
    'anthropic',
    'block',
    [
      block,
      { type: 'content_block_delta', index: 1, delta: { type: 'future_delta', x: 1 } },
      { type: 'content_block_stop', index: 1 },
    ],
  ],
  ['google', 'event', [{ surprise: 1 }]],
  ['google', 'part', [{ candidates: [{ content: { role: 'model', parts: [{ future: { x: 1 } }] } }] }]],
]

test.each(unknown)('%s: an unknown %s is ignored', async (adapter, _, between) => {
  expect(await answerOf(adapter, { between })).toMatchObject(counted)
})

test.each(unknown)('%s: a reply that breaks off after an unknown %s is no reply', async (adapter, _, between) => {
  const missing = { 'openai-compatible': 2, 'openai-chat': 2, openai: 1, anthropic: 2, google: 1 }[adapter]
  expect(await answerOf(adapter, { between, missing })).toMatchObject({ kind: 'failure', retry: 'call' })
})

test.each(['openai-compatible', 'openai-chat'] as const)(
  '%s: an error of another form is not ignored',
  async (adapter) => {
    const between = [{ object: 'error', message: 'Out of memory', code: 500 }]
    expect(await answerOf(adapter, { between })).toMatchObject({ kind: 'failure', text: 'Hel' })
  },
)

test('a text in parts is not lost', async () => {
  const content = [{ type: 'text', text: 'p ' }, { type: 'future' }, { type: 'text', text: 'he' }]
  const between = [{ id: '1', choices: [{ index: 0, delta: { content } }] }]
  expect(await answerOf('openai-chat', { between })).toMatchObject({ kind: 'reply', text: 'Help helo' })
})

test('an event that may have a part of the reply is not ignored, and not repeated forever', async () => {
  const between = [{ id: '1', choices: [{ index: 0, delta: { content: 5 } }] }]
  expect(await answerOf('openai-chat', { between })).toMatchObject({
    kind: 'failure',
    reasonCode: 'provider_error',
    retry: 'step',
  })
})

test.each([1, 7, 64])('events are repaired wherever the connection cuts them: every %i bytes', async (pieceLength) => {
  const usage = { prompt_tokens: '3', completion_tokens: '2' }
  expect(await answerOf('openai-compatible', { usage }, pieceLength)).toMatchObject(counted)
})
