// Two hundred runs against a mock server that others wrote, in its chaos modes: 500, answers that are no JSON, 429,
// closed connections and cut streams, about every fourth request. All of them are for the call to be repeated, and a
// tool that must be called once is called once.
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const mock = new LLMock({ port: 0 })
const pay = ownTool({ name: 'pay', effect: 'once' })
let bench: Bench

beforeAll(async () => {
  await mock.start()
  const environment = { OPENAI_COMPATIBLE_BASE_URL: `${mock.url}/v1`, OPENAI_COMPATIBLE_API_KEY: 'sk-test' }
  const providerRetry = { firstMs: 20, maxMs: 500, parkAboveMs: 200 }
  bench = await startBench({ RUNWRIGHT_MODEL: 'openai-compatible/any' }, { tools: [pay], environment, providerRetry })
})
afterAll(async () => {
  await bench.stop()
  await mock.stop()
})

const runs = 200
const body = planned([{ instruction: 'Pay the invoice, then say what you did.', tools: ['pay'] }])
const goodbye = { content: 'The invoice is paid, and the receipt is on its way.' }
const isWorkers = (request: { messages: readonly { content: unknown }[] }) =>
  String(request.messages[0]?.content).startsWith('You are an agent that works')
const hasResult = (request: { messages: readonly { role: string }[] }) =>
  request.messages.some(({ role }) => role === 'tool')

/** Every eighth answer of the worker is cut. */
function script(): { cuts: () => number } {
  let asked = 0
  let cuts = 0
  const isCut = () => {
    asked += 1
    if (asked % 8 !== 0) return false
    cuts += 1
    return true
  }
  const delivery = { chunkSize: 8, truncateAfterChunks: 2 }
  mock.on({ predicate: (request) => isWorkers(request) && hasResult(request) && isCut() }, goodbye, delivery)
  mock.on({ predicate: (request) => isWorkers(request) && hasResult(request) }, goodbye)
  mock.on({ predicate: isWorkers }, { toolCalls: [{ name: 'pay', arguments: '{"amount":5}' }] })
  mock.on({}, { content: '{"decision":"stop","reason":"It is paid."}' })
  return { cuts: () => cuts }
}

test('every run ends well, and pays once', { timeout: 300_000 }, async () => {
  const { cuts } = script()
  mock.setChaos({ dropRate: 0.05, malformedRate: 0.05, rateLimitRate: 0.05, disconnectRate: 0.05 })
  const ids = await Promise.all(Array.from({ length: runs }, () => bench.create(body)))
  const stories = await Promise.all(ids.map((id) => bench.ended(id, 1, 240_000)))
  mock.clearChaos()

  const ends = stories.map((events) => outline(events).at(-1))
  expect(ends.filter((end) => end !== 'succeeded')).toEqual([])
  for (const id of ids) expect(pay.callsOf(id), id).toHaveLength(1)
  // A broken call leaves nothing in the events but its repetition: no failed step, and the text once.
  for (const events of stories) {
    expect(ofType(events, 'step.done').map(({ content, outcome }) => [content, outcome])).toEqual([
      [goodbye.content, 'succeeded'],
    ])
  }
  const actions = mock.getRequests().map(({ response }) => response.chaosAction)
  expect(new Set(actions)).toEqual(new Set([undefined, 'drop', 'malformed', 'rateLimit', 'disconnect']))
  expect(cuts()).toBeGreaterThan(runs / 10)
})
