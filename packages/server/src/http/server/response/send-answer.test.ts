// Answers in pieces, over a real socket: what the client receives if a piece cannot be made.
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { sendAnswer } from './send-answer.ts'
import { inPieces, jsonWithList } from './text-pieces.ts'
import { UnreadAnswers } from './unread-answers.ts'

const large = 'x'.repeat(100_000)

/** Serves these pieces; an error before the head is a 503. */
async function serve(pieces: () => AsyncIterable<string>): Promise<string> {
  const app = fastify({ forceCloseConnections: true })
  app.setErrorHandler((_error, _request, reply) => reply.code(503).send('no'))
  app.get('/', {
    onRequest: (request, reply, done) => {
      const exchange = { request, reply, unread: new UnreadAnswers() }
      Promise.resolve(sendAnswer(exchange, { body: pieces() })).catch(done)
    },
    handler: () => undefined,
  })
  onTestFinished(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

async function* failingAfter(count: number) {
  for (let n = 0; n < count; n += 1) yield large
  throw new Error('no more')
}

test.each([0, 1])('an error after %i pieces gets an error answer', async (count) => {
  const response = await fetch(await serve(() => failingAfter(count)))
  expect([response.status, await response.text()]).toEqual([503, 'no'])
})

test.each(['gzip', 'br', 'identity'])(
  'a later error ends the connection: with %s the client sees it',
  async (encoding) => {
    const url = await serve(() => failingAfter(20))
    const response = await fetch(url, { headers: { 'accept-encoding': encoding } })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  },
)

test('a list is the JSON that it would be as a whole, however long', async () => {
  const items = [1, large, { ü: null }, large]
  const texts = items.map((item) => JSON.stringify(item))
  const response = await fetch(await serve(() => jsonWithList('items', texts, { limit: 4, offset: 0 })))
  expect(await response.text()).toBe(JSON.stringify({ items, limit: 4, offset: 0 }))
  const empty = await fetch(await serve(() => jsonWithList('files', [])))
  expect([await empty.text(), empty.headers.get('content-length')]).toEqual(['{"files":[]}', '12'])
})

test('one piece is sent with its length', async () => {
  const response = await fetch(await serve(() => inPieces(['a', 'b'.repeat(2_000)])), {
    headers: { 'accept-encoding': 'identity' },
  })
  expect(response.headers.get('content-length')).toBe('2001')
})
