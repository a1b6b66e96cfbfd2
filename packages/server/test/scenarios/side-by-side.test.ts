// Steps side by side that end while others are executing: nothing that was finished or spent may get lost.
import type { Event, PlanStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Bench, ofType, outline, planned, startBench, thenStep } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

vi.setConfig({ maxConcurrency: 20 })

const held = ownTool({ name: 'held', held: true })

let bench: Bench
beforeAll(async () => {
  bench = await startBench({ RUNWRIGHT_MAX_RECOVERIES: '0' }, { tools: [held] })
})
afterAll(() => bench.stop())

const beside = (...ids: string[]): PlanStep[] => ids.map((id) => ({ id, instruction: `Do ${id}.`, depends_on: [] }))
const spent = async (id: string) => (await bench.include<{ tokens: number }>(id, 'usage')).tokens
const said = (events: Event[]) =>
  ofType(events, 'step.progress')
    .map(({ content_delta }) => content_delta ?? '')
    .join('')
const done = (events: Event[]) => ofType(events, 'step.done').map(({ content, outcome }) => `${content} ${outcome}`)

describe.concurrent.each(['stop', 'replan', 'await_input'] as const)(
  'a step after which the judge says %s, while another is executing',
  (decision) => {
    const first = thenStep(decision, { say: 'first word', chunk_ms: 60, tokens: 30 })

    test('is counted though the run is cancelled', async () => {
      const slow = { say: 'la '.repeat(200), chunk_ms: 100, tokens: 1_000 }
      const id = await bench.create(planned(beside('a', 'b'), [first, slow]))
      await bench.until(id, (events) => said(events).split('la').length > 4)
      await bench.command(id, 'cancel')
      await bench.play(planned([{ id: 'later', tool: 'wait', input: { seconds: 0.1 } }]))
      expect(await spent(id)).toBeGreaterThanOrEqual(30)
    })

    test('is counted though the other fails the run', async () => {
      const second = { say: 'second', delay_ms: 1_500, fail: { times: 1 } }
      const { id } = await bench.play(planned(beside('a', 'b'), [first, second, {}]))
      expect(await spent(id)).toBe(30)
    })

    test('is not done again after a retry', async () => {
      const second = { say: 'second', delay_ms: 1_500, fail: { times: 1 } }
      const { id } = await bench.play(planned(beside('a', 'b'), [first, second, {}]))
      await bench.command(id, 'retry')
      await bench.until(id, (events) => events.some(isEnd('second')) || events.filter(isEnd('first word')).length > 0)
      await bench.command(id, 'cancel')
      expect(said(await bench.events(id)).split('first')).toHaveLength(2)
    })
  },
)

const isEnd =
  (content: string) =>
  ({ payload }: Event) =>
    payload.value.content === content

test.concurrent('two steps after which the judge asks a person ask one after the other, and neither is done twice', async () => {
  const script = [1, 3].map((count) => thenStep('await_input', { say: `${count}${' la'.repeat(count)}`, chunk_ms: 70 }))
  const id = await bench.create(planned(beside('a', 'b'), script))
  await bench.waits(id)
  await bench.signal(id, 'approve')
  await bench.waits(id, 2)
  await bench.signal(id, 'approve')
  const events = await bench.ended(id)
  expect(done(events).toSorted()).toEqual(['1 la succeeded', '3 la la la succeeded'])
  expect(said(events).match(/\d/g)?.toSorted()).toEqual(['1', '3'])
})

test.concurrent('a step that ends in the same moment as another fails the run is counted', async () => {
  const script = [
    { delay_ms: 80, fail: {} },
    { delay_ms: 80, say: 'b', tokens: 40 },
  ]
  const { id } = await bench.play(planned(beside('a', 'b'), script))
  expect(await spent(id)).toBe(40)
})

test.concurrent('a step that is over its timeout stalls the run: what ended beside it is kept, the rest is done again', async () => {
  const plan: PlanStep[] = [
    ...beside('a', 'b'),
    { id: 'c', tool: 'wait', input: { seconds: 60 }, timeout_seconds: 0.2, depends_on: [] },
  ]
  const script = [
    { say: 'a', tokens: 5 },
    { tokens: 6, tools: [{ name: 'held' }] },
  ]
  const id = await bench.create(planned(plan, script))
  const events = await bench.seen(id, 'run.worker.stalled')
  expect(done(events)).toEqual(['a succeeded'])
  expect(outline(events).at(-1)).toBe('stalled step_timeout')
  await bench.command(id, 'resume')
  const again = await bench.seen(id, 'run.worker.stalled', 2)
  expect(done(again)).toEqual(['a succeeded'])
  expect(held.callsOf(id).map(({ context }) => context.toolCallId)).toEqual(
    held.callsOf(id).map(() => held.callsOf(id)[0]?.context.toolCallId),
  )
})

test.concurrent.each([
  ['side by side', (n: number) => ({ id: `s${n}`, instruction: 'x', depends_on: [] })],
  ['one after another', (n: number) => ({ id: `s${n}`, instruction: 'x' })],
])('200 steps %s come to an end, each once', async (_case, step) => {
  const plan = Array.from({ length: 200 }, (_, n) => step(n))
  const script = Array.from({ length: 200 }, (_, n) => ({ say: `${n};`, tokens: 1 }))
  const { id, events } = await bench.play(planned(plan, script))
  expect(outline(events).at(-1)).toBe('succeeded')
  expect(new Set(done(events)).size).toBe(200)
  expect(await bench.include(id, 'usage')).toEqual({ tokens: 200, steps: 200, tool_calls: 0 })
})
