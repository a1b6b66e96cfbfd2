import { expect, test } from 'vitest'
import { limitAnswers } from './limit-answers.ts'

const answering = (status: number, ...chunks: string[]) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  const fetch = async () => new Response(body, { status, headers: { 'x-kept': 'yes' } })
  return limitAnswers(fetch, 8)('http://127.0.0.1/')
}

test.each([
  [200, ['12345678\n', '12345678\n', '123', '45678']],
  [400, ['1234', '5678']],
])('%i with %j passes unchanged', async (status, chunks) => {
  const response = await answering(status, ...chunks)
  expect(response.status).toBe(status)
  expect(response.headers.get('x-kept')).toBe('yes')
  expect(await response.text()).toBe(chunks.join(''))
})

test.each([
  [200, ['ok\n', '1234', '56789']],
  [200, ['ok\n123456789']],
  [400, ['1234\n', '5678']],
])('%i with %j is cut off with an error', async (status, chunks) => {
  const response = await answering(status, ...chunks)
  await expect(response.text()).rejects.toThrow('more than 8 bytes came without an end')
})

test('a response without a body is unchanged', async () => {
  const response = await limitAnswers(async () => new Response(null, { status: 204 }), 8)('http://127.0.0.1/')
  expect(response.body).toBeNull()
})
