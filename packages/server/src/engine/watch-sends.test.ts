import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchSends } from './watch-sends.ts'

const received: string[] = []
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push(`${request.method} ${body}`)
    response.end('ok')
  })
})
let stop = () => undefined as unknown
let look = () => undefined as unknown
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stop = watchSends({ look: () => look(), sentLate: () => undefined })
})
afterEach(async () => {
  stop()
  look = () => undefined
  received.length = 0
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const send = (body?: string) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST', body: body ?? null })

test.each([undefined, 'a body'])(
  'a request that the look refuses is not sent, and the next one has another connection: %s',
  async (body) => {
    await send('opens a connection that is kept').then((response) => response.text())
    look = () => {
      throw new Error('paused')
    }
    await expect(send(body)).rejects.toMatchObject({ cause: { message: 'paused' } })
    look = () => undefined
    await send('later').then((response) => response.text())
    expect(received).toEqual(['POST opens a connection that is kept', 'POST later'])
  },
)

test('other requests are looked at and sent', async () => {
  let looks = 0
  look = () => {
    looks += 1
  }
  const response = await send('as usual')
  expect(await response.text()).toBe('ok')
  expect(looks).toBeGreaterThan(0)
  expect(received).toEqual(['POST as usual'])
})
