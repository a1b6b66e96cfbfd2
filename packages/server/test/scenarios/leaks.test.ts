// What a call leaves behind in the memory of the process: nothing, although the signal that could abort it lives on.
import v8 from 'node:v8'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ToolCatalogue } from '../../src/tools/port/catalogue.ts'
import { invokeTool } from '../../src/tools/port/invoke.ts'
import { endpointRules } from '../../src/webhooks/endpoint-rules.ts'
import { createPostMessage } from '../../src/webhooks/post-message.ts'
import { openAdapter } from '../support/adapters.ts'
import { type PretendWeb, startPretendWeb } from '../support/pretend-web.ts'
import { say } from '../support/providers/script.ts'
import { Receiver } from '../support/receiver.ts'
import { toolContext } from '../support/tool-context.ts'

let web: PretendWeb
let receiver: Receiver
beforeAll(async () => {
  web = await startPretendWeb()
  receiver = await new Receiver().start()
})
afterAll(() => Promise.all([web.stop(), receiver.stop()]))

const calls = 40

/** Collects garbage, then counts. What was waiting for finalizers is collected the second time. */
async function countSignals(): Promise<number> {
  v8.queryObjects(AbortSignal)
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return v8.queryObjects(AbortSignal) as number
}

async function expectNothingLeft(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const { signal } = new AbortController()
  for (let warmUp = 0; warmUp < 10; warmUp += 1) await call(signal)
  const before = await countSignals()
  for (let made = 0; made < calls; made += 1) await call(signal)
  expect(signal.aborted).toBe(false)
  // A connection or two may be open or closing.
  expect((await countSignals()) - before).toBeLessThan(calls / 4)
}

test('a message to a webhook', async () => {
  const post = createPostMessage({ rules: endpointRules('allow') })
  await expectNothingLeft(async (signal) => {
    expect(await post({ url: receiver.url, headers: {}, body: '{}' }, signal)).toMatchObject({ status: 204 })
  })
})

test('a call of http_fetch', async () => {
  const catalogue = new ToolCatalogue([web.tool])
  await expectNothingLeft(async (signal) => {
    const input = { url: 'https://shop.example/' }
    const call = { catalogue, name: 'http_fetch', input, allowed: undefined, context: toolContext({ signal }) }
    expect(await invokeTool(call)).toMatchObject({ outcome: 'succeeded' })
  })
})

test('a call to a model', async () => {
  const { provider, reply } = await openAdapter('openai-compatible', () => say('Hello.'))
  await expectNothingLeft(async (signal) => expect(await reply({ signal })).toMatchObject({ text: 'Hello.' }))
  await provider.close()
})
