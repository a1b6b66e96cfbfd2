import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lookBeforeWrites } from './look-before-writes.ts'

const server = createServer()
let client: Socket
let received: Promise<string>
let isRefused: boolean
beforeEach(async () => {
  isRefused = false
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  received = new Promise((resolve) => server.once('connection', (socket) => resolve(text(socket))))
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await new Promise((resolve) => client.once('connect', resolve))
  lookBeforeWrites(client, () => {
    if (isRefused) throw new Error('not any more')
  })
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

/** One write, and several that go out together. */
const writes = {
  one: (letters: string) => client.write(letters),
  several: (letters: string) => {
    client.cork()
    for (const letter of letters) client.write(letter)
    client.uncork()
  },
}

test.each(['one', 'several'] as const)('what the look allows is written: %s', async (how) => {
  writes[how]('hello')
  client.end()
  expect(await received).toBe('hello')
})

test.each(['one', 'several'] as const)('what it refuses is not written, and the stream fails: %s', async (how) => {
  await new Promise((resolve) => client.write('before', resolve))
  isRefused = true
  const failed = new Promise<Error>((resolve) => client.once('error', resolve))
  writes[how]('after')
  expect((await failed).message).toBe('not any more')
  expect(await received).toBe('before')
})
