// Cancelling a run, whatever it is doing: it ends at once, its calls are aborted, and what it spent stays counted.
import type { EventType } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, eventually, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'
import { ownTool } from '../support/own-tool.ts'

const held = ownTool({ name: 'held', held: true })
const stubborn = { ...ownTool({ name: 'stubborn' }), run: () => new Promise<never>(() => undefined) }

let bench: Bench
beforeAll(async () => {
  const env = { RUNWRIGHT_MAX_RECOVERIES: '0', RUNWRIGHT_WORKER_CONCURRENCY: '4' }
  bench = await startBench(env, { tools: [held, stubborn] })
})
afterAll(() => bench.stop())

async function cancelAt(id: string, type: EventType): Promise<string[]> {
  const { length } = await bench.seen(id, type)
  const reply = await bench.command(id, 'cancel')
  expect(reply.json()).toMatchObject({ id, status: 'cancelled', event_payload: { redacted: true, value: null } })
  expect((await bench.acme.run(id)).status).toBe('cancelled')
  return outline((await bench.events(id)).slice(length)).filter((word) => word !== 'step.progress')
}

const tool = (name: string) => scripted([{ tools: [{ name }] }])
const longWait = planned([{ tool: 'wait', input: { seconds: 60 } }])

describe('a cancel', () => {
  test.each([
    ['in a tool call', tool('held'), 'step.progress'],
    ['in a tool step', longWait, 'step.progress'],
    ['in a slow model', scripted([{ delay_ms: 60_000 }]), 'run.worker.started'],
    ['that streams', scripted([{ say: 'word '.repeat(2_000), chunk_ms: 10 }]), 'step.progress'],
    ['between two attempts of a step', scripted([{ fail: { retryable: true } }]), 'step.done'],
    ['that waits for a person', scripted([thenStep('await_input'), {}]), 'run.awaiting_input'],
    [
      'that is stalled',
      planned([{ tool: 'wait', input: { seconds: 60 }, timeout_seconds: 0.05 }]),
      'run.worker.stalled',
    ],
    ['whose tool ignores its abort', tool('stubborn'), 'step.progress'],
  ] as const)('ends a run %s, with run.cancelled last', async (_case, body, type) => {
    const id = await bench.create(body)
    expect((await cancelAt(id, type)).at(-1)).toBe('cancelled')
    expectRefusal(await bench.command(id, 'cancel'), 409, 'RUN_STATE_CONFLICT')
  })

  test('ends a queued run, which is never started', async () => {
    // A wait would hold no worker.
    const busy = await Promise.all([1, 2, 3, 4].map(() => bench.create(scripted([{ delay_ms: 60_000 }]))))
    await firstOf(
      3,
      busy.map((id) => bench.seen(id, 'run.worker.started')),
    )
    const queued = await bench.create(scripted([{}]))
    expect(await cancelAt(queued, 'run.created')).toEqual(['cancelled'])
    await Promise.all(busy.map((id) => bench.command(id, 'cancel')))
    await bench.play(scripted([{}]))
    expect(outline(await bench.events(queued))).toEqual(['created', 'cancelled'])
  })

  test('aborts a tool call within 0.3 s', async () => {
    const id = await bench.create(tool('held'))
    const call = await held.called(id)
    const sent = performance.now()
    await bench.command(id, 'cancel')
    expect((await call.aborted) - sent).toBeLessThan(300)
  })

  test.each([
    ['a slow model', scripted([{ delay_ms: 60_000 }])],
    ['a long tool', longWait],
    ['a tool that ignores its abort', tool('stubborn')],
  ])('frees the place of %s at once: with all places taken, the next run starts', async (_case, body) => {
    const busy = await Promise.all([1, 2, 3].map(() => bench.create(body)))
    await Promise.all(busy.map((id) => bench.seen(id, 'run.worker.started')))
    const next = await bench.create(scripted([{}]))
    const sent = performance.now()
    await Promise.all(busy.map((id) => bench.command(id, 'cancel')))
    await bench.seen(next, 'run.worker.started')
    expect(performance.now() - sent).toBeLessThan(600)
  })

  test('leaves nothing to be written: no step, tool or decision comes after it', async () => {
    const id = await bench.create(
      planned(['a', 'b', 'c'].map((step) => ({ id: step, tool: 'wait', input: { seconds: 0.1 }, depends_on: [] }))),
    )
    await bench.until(id, (events) => ofType(events, 'step.progress').length >= 3)
    await bench.command(id, 'cancel')
    await bench.play(scripted([{ delay_ms: 250 }]))
    expect((await bench.events(id)).at(-1)?.type).toBe('run.cancelled')
  })

  test('meters what the model had said', async () => {
    const id = await bench.create(scripted([{ say: 'word '.repeat(2_000), chunk_ms: 5, tokens: 5_000 }]))
    await bench.until(id, (events) => ofType(events, 'step.progress').length >= 3)
    await bench.command(id, 'cancel')
    const spent = await eventually(
      async () => (await bench.include<{ tokens: number }>(id, 'usage')).tokens || undefined,
    )
    expect(spent).toBeLessThan(5_000)
  })

  test('leaves a cancelled run cancelled: neither retry nor resume nor signal', async () => {
    const id = await bench.create(scripted([thenStep('await_input'), {}]))
    await cancelAt(id, 'run.awaiting_input')
    expectRefusal(await bench.command(id, 'retry'), 409, 'RUN_STATE_CONFLICT')
    expectRefusal(await bench.command(id, 'resume'), 409, 'RUN_STATE_CONFLICT')
    expectRefusal(await bench.signal(id, 'approve'), 409, 'RUN_NOT_AWAITING_INPUT')
  })
})

/** Resolves when so many of them have; the others go on. */
const firstOf = (count: number, promises: readonly Promise<unknown>[]): Promise<void> =>
  new Promise((resolve, reject) => {
    let left = count
    const done = () => {
      left -= 1
      if (left === 0) resolve()
    }
    for (const promise of promises) promise.then(done, reject)
  })
