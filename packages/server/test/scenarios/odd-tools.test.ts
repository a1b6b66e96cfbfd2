// Tools that misbehave: whatever they give back or throw, the run comes to an end and says what happened.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tool } from '../../src/tools/port/tool.ts'
import { type Bench, ofType, outline, scripted, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const circular: Record<string, unknown> = {}
circular.self = circular
const throwing = (thrown: unknown) => () => {
  throw thrown
}
const nested = (levels: number): unknown => (levels === 0 ? 'deep' : [nested(levels - 1)])

const outputs: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  null: () => null,
  nul: () => 'a\u0000b',
  half_a_pair: () => ({ text: 'a\ud800b', '\udc00': 1 }),
  not_a_number: () => ({ a: Number.NaN, b: Number.POSITIVE_INFINITY }),
  big_integer: () => ({ n: 10n ** 30n }),
  circular: () => circular,
  function: () => () => 1,
  date: () => new Date(0),
  map: () => new Map([['a', 1]]),
  deep: () => nested(2_000),
  large: () => 'x'.repeat(3_000_000),
  proto: () => JSON.parse('{"__proto__":{"a":1}}'),
  throws_text: throwing('no'),
  throws_nothing: throwing(undefined),
  throws_an_odd_error: throwing(Object.assign(new Error('x\u0000\ud800'), { message: 'bad \u0000 \ud800' })),
  throws_a_getter: throwing({
    get message() {
      throw new Error('again')
    },
  }),
  rejects: () => Promise.reject(new Error('rejected')),
  throws_when_read: () => ({
    get a() {
      throw new Error('unreadable')
    },
  }),
}

const tools: Tool[] = Object.entries(outputs).map(([name, output]) => ({
  ...ownTool({ name }),
  run: async () => output(),
}))

let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools })
})
afterAll(() => bench.stop())

describe('a tool whose call ends with', () => {
  test.each(Object.keys(outputs))('%s', async (name) => {
    const { events } = await bench.play(scripted([{ say: 'after', tools: [{ name }] }]))
    expect(outline(events)).toEqual([
      'created',
      'started',
      `tool_call_start ${name}`,
      `tool_call_done ${name}`,
      expect.stringMatching(`^invoked ${name} (succeeded|failed)$`),
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    const [invoked] = ofType(events, 'run.tool.invoked')
    if (/^throws|^rejects/.test(name) && name !== 'throws_when_read') expect(invoked?.tool_outcome).toBe('failed')
    const summary = invoked?.tool_output_summary as { preview: string } | undefined
    expect([...(summary?.preview ?? '')].length).toBeLessThanOrEqual(240)
  })
})

test('a hundred calls in one step are all made, and each has its own story', async () => {
  const calls = Array.from({ length: 100 }, (_, n) => ({ name: 'calculator', input: { expression: `${n}+1` } }))
  const { id, events } = await bench.play(scripted([{ say: 'after', tools: calls }]))
  expect(outline(events).at(-1)).toBe('succeeded')
  const previews = ofType(events, 'run.tool.invoked').map(
    (call) => (call.tool_output_summary as { preview: string }).preview,
  )
  expect(previews.toSorted()).toEqual(calls.map((_, n) => `{"result":${n + 1}}`).toSorted())
  expect(await bench.include(id, 'usage')).toMatchObject({ tool_calls: 100 })
})
