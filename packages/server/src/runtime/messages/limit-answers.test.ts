import { expect, test } from 'vitest'
import { limitAnswers } from './limit-answers.ts'

const stream = 'text/event-stream; charset=utf-8'

interface Answer {
  readonly status?: number
  readonly type?: string
  readonly chunks: readonly string[]
}

const answering = ({ status = 200, type = stream, chunks }: Answer) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  const fetch = async () => new Response(body, { status, headers: { 'x-kept': 'yes', 'content-type': type } })
  return limitAnswers(fetch, { maxBytes: 8, maxParts: 3 })('http://127.0.0.1/')
}

test.each<Answer>([
  { chunks: ['123456\n\n', '123456\n\n', '123', '45678'] },
  { chunks: ['[1,2]\n\n', '[1,2]\n'] },
  { type: 'application/json', chunks: ['[1', ',\n2]'] },
  { status: 400, type: 'application/json', chunks: ['{"error":[1,2,3,4]}'] },
])('%j passes unchanged', async (answer) => {
  const response = await answering(answer)
  expect(response.status).toBe(answer.status ?? 200)
  expect(response.headers.get('x-kept')).toBe('yes')
  expect(await response.text()).toBe(answer.chunks.join(''))
})

test.each<Answer>([
  { chunks: ['ok\n\n', '1234', '56789'] },
  { chunks: ['ok\n\n123456789'] },
  { type: 'application/json', chunks: ['1234\n', '5678'] },
  { chunks: ['[1,2,3]'] },
])('%j is cut off with an error', async (answer) => {
  const response = await answering(answer)
  await expect(response.text()).rejects.toThrow(/more than (?:8 bytes|3 keys and values)/)
})

test('a long error is cut', async () => {
  const response = await answering({ status: 500, chunks: ['x'.repeat(60_000), 'y'.repeat(60_000)] })
  expect(await response.text()).toBe('x'.repeat(60_000) + 'y'.repeat(5_536))
})

test('a response without a body is unchanged', async () => {
  const limits = { maxBytes: 8, maxParts: 3 }
  const response = await limitAnswers(async () => new Response(null, { status: 204 }), limits)('http://127.0.0.1/')
  expect(response.body).toBeNull()
})
