// `run_javascript` and `json_query` in runs: what they give to later steps, how they fail, how they are stopped.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, untilEnded } from '../support/engine.ts'
import { type HostedFleet, startFleet } from '../support/processes.ts'

const orders = {
  items: [
    { name: 'lamp', price: 12 },
    { name: 'rope', price: 5 },
    { name: 'tin', price: 8 },
  ],
} as const

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const javascript = (code: string, input?: unknown) => ({
  id: 'code',
  tool: 'run_javascript',
  input: { code, ...(input !== undefined && { input }) },
})

describe('a plan', () => {
  test('picks values out with one and computes with the other', async () => {
    const { id } = await bench.play(
      planned(
        [
          {
            id: 'cheap',
            tool: 'json_query',
            input: { json: '{{input.orders}}', path: '$.items[?@.price < 10].price' },
          },
          javascript('return input.reduce((sum, price) => sum + price, 0)', '{{steps.cheap.output.matches}}'),
        ],
        [],
        { input: { orders } },
      ),
    )
    expect((await bench.acme.run(id)).event_payload.value).toMatchObject({ output: { result: 13 } })
  })

  test('whose code fails uses its attempts, then fails', async () => {
    const { events } = await bench.play(planned([{ ...javascript('return missing.price'), max_attempts: 2 }]))
    expect(ofType(events, 'run.tool.invoked').map((call) => call.tool_outcome)).toEqual(['failed', 'failed'])
    expect(outline(events).at(-1)).toBe('failed tool_failed')
  })
})

test('a model hears of code that does not end, and goes on', { timeout: 20_000 }, async () => {
  const call = { name: 'run_javascript', input: { code: 'for (;;) {}' } }
  const { events } = await bench.play(scripted([{ say: 'after all', tools: [call] }]))
  expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_outcome: 'timeout' }])
  expect(outline(events).at(-1)).toBe('succeeded')
})

test('a cancel stops the code, and its thread is free for others', async () => {
  const endless = planned([javascript('for (;;) {}')])
  const ids = await Promise.all([bench.create(endless), bench.create(endless)])
  await Promise.all(ids.map((id) => bench.until(id, (events) => ofType(events, 'step.progress').length > 0)))
  await Promise.all(ids.map((id) => bench.command(id, 'cancel')))
  const { events } = await bench.play(planned([javascript('return 1')]))
  expect(outline(events).at(-1)).toBe('succeeded')
})

describe('a process of the built service', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet()
  })
  afterAll(() => hosted.close())

  test('executes code too, and its threads do not keep it from ending', async () => {
    const service = await hosted.fleet.start('start')
    const caller = hosted.fleet.caller(service)
    const { id } = await caller.newRun(planned([javascript('return [1, 2, 3].map((n) => n * input)', 2)]))
    await untilEnded(caller, id)
    expect((await caller.run(id)).event_payload.value).toMatchObject({ output: { result: [2, 4, 6] } })
    expect(await service.stop()).toEqual({ code: 0, signal: null })
  })
})
