// The token ceiling: crossed by a completion, or reached before a call; the run ends with run.limit_exceeded alone.
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const echo = ownTool({ name: 'echo' })
const held = ownTool({ name: 'held', held: true })

let bench: Bench
beforeAll(async () => {
  bench = await startBench(
    { RUNWRIGHT_TOKEN_CEILING: '100', RUNWRIGHT_TOKEN_CEILING_SHORT: '10' },
    { tools: [echo, held] },
  )
})
afterAll(() => bench.stop())

const over = (currentValue: number, threshold = 100) => ({
  limitType: 'cost_ceiling',
  currentValue,
  threshold,
  unit: 'tokens',
})
const limits = (events: Event[]) => ofType(events, 'run.limit_exceeded')
const usage = (id: string) => bench.include(id, 'usage')
const step = ['step.done succeeded', 'judge continue step_done']

describe('the completion that crosses the ceiling', () => {
  test('is metered, and its step gets no step.done', async () => {
    const { id, events } = await bench.play(scripted([{ tokens: 60 }, { tokens: 41 }, { tokens: 1 }]))
    expect(outline(events)).toEqual(['created', 'started', ...step, 'limit cost_ceiling'])
    expect(limits(events)).toEqual([over(101)])
    expect(await usage(id)).toEqual({ tokens: 101, steps: 1, tool_calls: 0 })
    expect((await bench.acme.run(id)).status).toBe('failed')
    expect(await bench.include(id, 'failure')).toMatchObject({ reason_code: 'cost_ceiling', seq: events.length })
  })

  test('may be the first, by far', async () => {
    const { id, events } = await bench.play(scripted([{ tokens: 5000 }]))
    expect(outline(events)).toEqual(['created', 'started', 'limit cost_ceiling'])
    expect(limits(events)).toEqual([over(5000)])
    expect(await usage(id)).toMatchObject({ tokens: 5000, steps: 0 })
  })

  test('makes no tool call that it asked for', async () => {
    const before = echo.calls.length
    const { id, events } = await bench.play(scripted([{ tokens: 99 }, { tokens: 200, tools: [{ name: 'echo' }] }]))
    expect(outline(events)).toEqual(['created', 'started', ...step, 'limit cost_ceiling'])
    expect(echo.calls).toHaveLength(before)
    expect(await usage(id)).toMatchObject({ tool_calls: 0 })
  })

  test('aborts what is executing beside it within a second', async () => {
    const plan = ['a', 'b'].map((id) => ({ id, instruction: 'x', depends_on: [] }))
    const script = [
      { tokens: 2, tools: [{ name: 'held' }] },
      { tokens: 150, delay_ms: 100 },
    ]
    const { id, events } = await bench.play(planned(plan, script))
    const ended = Date.parse(events.at(-1)?.timestamp ?? '')
    expect(limits(events)).toHaveLength(1)
    await (await held.called(id)).aborted
    expect(Date.now() - ended).toBeLessThan(1_000)
  })

  test('may be one of two that end at once: the total counts', async () => {
    const plan = ['a', 'b'].map((id) => ({ id, instruction: 'x', depends_on: [] }))
    const { events } = await bench.play(
      planned(plan, [
        { tokens: 60, delay_ms: 80 },
        { tokens: 60, delay_ms: 80 },
      ]),
    )
    expect(limits(events)).toEqual([over(120)])
    expect(events.at(-1)?.type).toBe('run.limit_exceeded')
  })
})

describe('a run at its ceiling', () => {
  test('succeeds when nothing more is to be called', async () => {
    const { id, events } = await bench.play(scripted([{ tokens: 100 }]))
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
    expect(await usage(id)).toMatchObject({ tokens: 100 })
  })

  test('ends before the next call', async () => {
    const { id, events } = await bench.play(scripted([{ tokens: 100 }, { tokens: 1 }]))
    expect(outline(events)).toEqual(['created', 'started', ...step, 'limit cost_ceiling'])
    expect(limits(events)).toEqual([over(100)])
    expect(await usage(id)).toMatchObject({ tokens: 100, steps: 1 })
  })

  test('may still make a tool step, which calls no model', async () => {
    const plan = [{ instruction: 'x' }, { tool: 'calculator', input: { expression: '1' } }]
    const { events } = await bench.play(planned(plan, [{ tokens: 100 }]))
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })
})

test('a run has the ceiling of its class', async () => {
  const { id, events } = await bench.play(scripted([{ tokens: 11 }], { run_class: 'short' }))
  expect(limits(events)).toEqual([over(11, 10)])
  expect(await bench.include(id, 'limits')).toMatchObject({ tokens: 10 })
})

test('a retry goes on with the tokens that were spent, and ends at once', async () => {
  const { id, events } = await bench.play(scripted([{ tokens: 60 }, { tokens: 60 }]))
  await bench.command(id, 'retry')
  const again = (await bench.ended(id, 2)).slice(events.length)
  expect(outline(again)).toEqual(['retry_scheduled', 'started', 'limit cost_ceiling'])
  expect(limits(again)).toEqual([over(120)])
})
