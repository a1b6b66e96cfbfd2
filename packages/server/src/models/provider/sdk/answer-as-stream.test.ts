import { expect, test } from 'vitest'
import { answerAsStream } from './answer-as-stream.ts'

const answer = (body: string, init: ResponseInit = {}) =>
  answerAsStream(async () => new Response(body, { headers: { 'content-type': 'application/json' }, ...init }))(
    'http://x',
  )

/** What a reader of the event stream gets. */
async function eventsOf(response: Response): Promise<unknown[]> {
  const lines = (await response.text()).split('\n\n').filter((line) => line !== '')
  return lines.map((line) => {
    expect(line).toMatch(/^data: /)
    return line === 'data: [DONE]' ? 'done' : JSON.parse(line.slice('data: '.length))
  })
}

test('a plain completion becomes one chunk and the end', async () => {
  const message = { role: 'assistant', content: 'hi' }
  const completion = {
    id: 'c',
    object: 'chat.completion',
    choices: [{ message, finish_reason: 'stop' }],
    usage: { n: 1 },
  }
  const response = await answer(JSON.stringify(completion))
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(await eventsOf(response)).toEqual([
    {
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, finish_reason: 'stop', delta: message }],
      usage: { n: 1 },
    },
    'done',
  ])
})

test('tool calls get the indexes that chunks need', async () => {
  const tool_calls = [{ id: 'a' }, { id: 'b' }, { id: 'c', index: 7 }]
  const [chunk] = await eventsOf(await answer(JSON.stringify({ choices: [{ index: 3, message: { tool_calls } }] })))
  expect(chunk).toMatchObject({
    choices: [{ index: 3, delta: { tool_calls: [{ id: 'a', index: 0 }, { id: 'b', index: 1 }, { index: 7 }] } }],
  })
})

test('an error with status 200 is passed on unchanged', async () => {
  const error = { error: { message: 'overloaded' } }
  expect(await eventsOf(await answer(JSON.stringify(error)))).toEqual([error, 'done'])
})

test.each([
  ['an event stream', 'data: {}\n\n', { headers: { 'content-type': 'text/event-stream' } }],
  ['an answer without a type', 'data: {}\n\n', { headers: {} }],
  ['a refusal', '{"error":"no"}', { status: 400 }],
])('%s is unchanged', async (_, body, init) => {
  const given = new Response(body, { headers: { 'content-type': 'application/json' }, ...init })
  expect(await answerAsStream(async () => given)('http://x')).toBe(given)
})

test('a response with invalid JSON or too many characters fails', async () => {
  await expect(answer('<html>')).rejects.toThrow(SyntaxError)
  await expect(answer(`"${'x'.repeat(8 * 1024 * 1024)}"`)).rejects.toThrow(
    'the answer is longer than 8388608 characters',
  )
})
