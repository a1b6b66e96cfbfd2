import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lookBeforeWrites } from './look-before-writes.ts'

const server = createServer()
let client: Socket
let received: Promise<string>
let isRefused: boolean
let late: number
beforeEach(async () => {
  isRefused = false
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  received = new Promise((resolve) => server.once('connection', (socket) => resolve(text(socket))))
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await new Promise((resolve) => client.once('connect', resolve))
  late = 0
  lookBeforeWrites(client, {
    look: () => {
      if (isRefused) throw new Error('not any more')
    },
    sentLate: () => {
      late += 1
    },
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
  expect(late).toBe(0)
})

test.each(['one', 'several'] as const)('what it refuses is not written, and the stream fails: %s', async (how) => {
  await new Promise((resolve) => client.write('before', resolve))
  isRefused = true
  const failed = new Promise<Error>((resolve) => client.once('error', resolve))
  writes[how]('after')
  expect((await failed).message).toBe('not any more')
  expect(await received).toBe('before')
})

test.each(['one', 'several'] as const)('a pause that begins after the look is noticed: %s', async (how) => {
  // The look before the write allows it, the one after it does not.
  let looks = 0
  lookBeforeWrites(client, {
    look: () => {
      looks += 1
      if (looks > 1) throw new Error('paused')
    },
    sentLate: () => {
      late += 1
    },
  })
  const failed = new Promise<Error>((resolve) => client.once('error', resolve))
  writes[how]('hello')
  expect((await failed).message).toBe('paused')
  expect([late, client.destroyed]).toEqual([1, true])
})
