// What a message to a webhook leaves behind in the memory of the process: nothing, although the signal that could abort
// it lives on.
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpointRules } from '../../src/tools/http-fetch/endpoint-rules.ts'
import { createPostMessage } from '../../src/webhooks/post-message.ts'
import { Receiver } from '../support/receiver.ts'

let receiver: Receiver
beforeAll(async () => {
  receiver = await new Receiver().start()
})
afterAll(() => receiver.stop())

const messages = 400

v8.setFlagsFromString('--expose_gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What was waiting for finalizers is collected the second time. */
async function usedBytes(): Promise<number> {
  for (let turn = 0; turn < 2; turn += 1) {
    collectGarbage()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}

test('messages to webhooks leave nothing behind', async () => {
  const { signal } = new AbortController()
  const post = createPostMessage({ rules: endpointRules('allow') })
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await post({ url: receiver.url, headers: {}, body: '{}' }, signal)
    receiver.received.all.length = 0
  }
  await send(100)
  const before = await usedBytes()
  await send(messages)
  const grownBytes = (await usedBytes()) - before
  expect(signal.aborted).toBe(false)
  // It was about 10 kB for each of them.
  expect(grownBytes / messages).toBeLessThan(4_000)
})
