// The mock as the real SDK sees it: it reads every answer, and what it sends is accepted.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterEach, expect, test } from 'vitest'
import { type MockProvider, startMockProvider } from '../mock-provider.ts'
import { callTools, fail, type Script, say } from '../script.ts'

let provider: MockProvider
afterEach(() => provider.close())

async function open(script: Script) {
  provider = await startMockProvider('openai-chat', script)
  const sdk = createOpenAICompatible({ name: 'mock', baseURL: provider.baseUrl, apiKey: 'sk-test', includeUsage: true })
  return sdk.chatModel('mock-model')
}

type Options = Parameters<Awaited<ReturnType<typeof open>>['doStream']>[0]
const hello: Options = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] }

async function partsOf(stream: ReadableStream<unknown>): Promise<Record<string, unknown>[]> {
  const parts: Record<string, unknown>[] = []
  for await (const part of stream) parts.push(part as Record<string, unknown>)
  return parts
}

test('text and reasoning come in pieces, usage at the end', async () => {
  const usage = { input: 9, output: 3, cached: 4, reasoning: 1 }
  const model = await open([say('Hello there.', { reasoning: 'Greet.', usage })])
  const parts = await partsOf((await model.doStream(hello)).stream)
  const deltas = (type: string) => parts.filter((part) => part.type === type).map(({ delta }) => delta)
  expect(deltas('text-delta')).toEqual(['Hello ', 'there.'])
  expect(deltas('reasoning-delta')).toEqual(['Greet.'])
  expect(parts.at(-1)).toMatchObject({
    type: 'finish',
    finishReason: { unified: 'stop' },
    usage: { inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { total: 3, reasoning: 1 } },
  })
})

test('a round of parallel tool calls goes out and its results come back', async () => {
  const model = await open([
    callTools(
      [
        { name: 'search', args: { q: 'a' } },
        { name: 'search', args: { q: 'b' } },
      ],
      { reasoning: 'Two at once.' },
    ),
    say('Done.'),
  ])
  const tools: Options['tools'] = [
    { type: 'function', name: 'search', inputSchema: { type: 'object', properties: {} } },
  ]
  const { content } = await model.doGenerate({ ...hello, tools })
  const calls = content.filter((part) => part.type === 'tool-call')
  expect(calls).toHaveLength(2)
  const answered: Options['prompt'] = [
    ...hello.prompt,
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Two at once.' },
        ...calls.map((call) => ({ ...call, input: JSON.parse(call.input) as unknown })),
      ],
    },
    {
      role: 'tool',
      content: calls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName,
        output: { type: 'text' as const, value: 'found' },
      })),
    },
  ]
  const reply = await model.doGenerate({ prompt: answered, tools })
  expect(reply.content).toEqual([{ type: 'text', text: 'Done.' }])
  expect(provider.refusals).toEqual([])
  expect(provider.requests[1]?.messages.at(-1)?.toolResults).toMatchObject([{ text: 'found' }, { text: 'found' }])
})

test.each([
  ['length', 'length'],
  ['content_filter', 'content-filter'],
] as const)('finish %s is read as %s', async (finish, unified) => {
  const model = await open([say('half', { finish })])
  expect((await model.doGenerate(hello)).finishReason).toMatchObject({ unified })
})

test('a failure has its status, headers and words', async () => {
  const model = await open([fail('rate_limited', { retryAfter: 2, message: 'Slow down.' })])
  await expect(model.doStream(hello)).rejects.toMatchObject({
    statusCode: 429,
    message: 'Slow down.',
    responseHeaders: { 'retry-after': '2' },
  })
})

test('an error inside the stream is an error part', async () => {
  const errorAfterChunks = { chunks: 1, error: fail('overloaded', { message: 'Too busy.' }) }
  const model = await open([say('Hello there.', { delivery: { errorAfterChunks } })])
  const parts = await partsOf((await model.doStream(hello)).stream)
  expect(parts.filter(({ type }) => type === 'text-delta')).toHaveLength(1)
  expect(parts.find(({ type }) => type === 'error')).toMatchObject({
    error: expect.objectContaining({ message: 'Too busy.' }),
  })
})
