// The wall-clock limit ends a run in every state that is no end, with run.limit_exceeded alone.
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'
import { ownTool } from '../support/own-tool.ts'

vi.setConfig({ maxConcurrency: 20 })

const held = ownTool({ name: 'held', held: true })
const seconds = 1.2

let bench: Bench
let crowded: Bench
/** With the usual limits. */
let lasting: Bench
beforeAll(async () => {
  const env = { RUNWRIGHT_DURATION_SECONDS: String(seconds), RUNWRIGHT_MAX_RECOVERIES: '0' }
  bench = await startBench(env, { tools: [held] })
  crowded = await startBench({ ...env, RUNWRIGHT_WORKER_CONCURRENCY: '1' })
  lasting = await startBench()
})
afterAll(async () => {
  await bench.stop()
  await crowded.stop()
  await lasting.stop()
})

function expectLimit(events: Event[]): void {
  const [limit, ...more] = ofType(events, 'run.limit_exceeded')
  expect(more).toEqual([])
  expect(limit).toEqual({
    limitType: 'duration_limit',
    currentValue: expect.any(Number),
    threshold: seconds,
    unit: 'seconds',
  })
  const elapsed = (Date.parse(events.at(-1)?.timestamp ?? '') - Date.parse(events[0]?.timestamp ?? '')) / 1000
  expect(limit?.currentValue).toBeGreaterThanOrEqual(seconds)
  expect(elapsed).toBeGreaterThanOrEqual(seconds - 0.002)
  expect(elapsed).toBeLessThan(seconds + 1)
  expect(events.at(-1)?.type).toBe('run.limit_exceeded')
}

describe.concurrent('the duration limit ends a run', () => {
  test.each([
    ['running in a long tool step', planned([{ tool: 'wait', input: { seconds: 60 } }])],
    ['running in a slow model', scripted([{ delay_ms: 60_000 }])],
    ['streaming', scripted([{ say: 'word '.repeat(500), chunk_ms: 20 }])],
    ['that waits for a person', scripted([thenStep('await_input'), {}])],
    ['that waits at a gate', planned([{ await_input: {} }])],
    ['that is stalled', planned([{ tool: 'wait', input: { seconds: 60 }, timeout_seconds: 0.1 }])],
    ['that has many short steps', scripted(Array.from({ length: 900 }, () => ({ delay_ms: 5 })))],
  ])('%s', async (_case, body) => {
    const { id, events } = await bench.play(body)
    expectLimit(events)
    expect((await bench.acme.run(id)).status).toBe('failed')
    expect(await bench.include(id, 'failure')).toMatchObject({ reason_code: 'duration_limit', seq: events.length })
  })

  test('that is queued because no worker is free', async () => {
    await crowded.create(scripted([{ delay_ms: 60_000 }], { run_class: 'long' }))
    const { events } = await crowded.play(scripted([{}]))
    expectLimit(events)
    expect(outline(events)).toEqual(['created', 'limit duration_limit'])
  })

  test('in a retry at once, because the clock goes on', async () => {
    const { id, events } = await bench.play(scripted([{ delay_ms: 60_000 }]))
    expect((await bench.command(id, 'retry')).status).toBe(200)
    const again = (await bench.ended(id, 2)).slice(events.length)
    expect(outline(again).at(-1)).toBe('limit duration_limit')
    const [scheduled = 0, ended = 0] = [again[0], again.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''))
    expect(ended - scheduled).toBeLessThan(1_000)
  })

  test('and aborts the call under way within a second', async () => {
    const { id, events } = await bench.play(scripted([{ tools: [{ name: 'held' }] }]))
    const ended = Date.parse(events.at(-1)?.timestamp ?? '')
    await (await held.called(id)).aborted
    expect(Date.now() - ended).toBeLessThan(1_000)
  })

  test('and nothing comes after it: no signal is taken', async () => {
    const { id, events } = await bench.play(scripted([thenStep('await_input'), {}]))
    expectRefusal(await bench.signal(id, 'approve'), 409, 'RUN_NOT_AWAITING_INPUT')
    expectRefusal(await bench.command(id, 'cancel'), 409, 'RUN_STATE_CONFLICT')
    expect(await bench.events(id)).toHaveLength(events.length)
  })

  test('not, if it is done in time', async () => {
    const { events } = await bench.play(scripted([{ delay_ms: 200 }]))
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })

  test('not, if its class has more time', async () => {
    const { events } = await bench.play(scripted([{ delay_ms: 1_500 }], { run_class: 'long' }))
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })
})

// Apart from the others, which are held to short times.
test('a retry after the duration limit fails before any step begins, however quick the step is', async () => {
  const failing = scripted([{ fail: { reason_code: 'provider_error', message: 'no', retryable: false, times: 1 } }])
  const runs = await Promise.all(Array.from({ length: 20 }, () => lasting.play(failing)))
  const text = "update runs set deadline_at = clock_timestamp() - interval '1 millisecond'"
  await lasting.service.database.run({ text })
  const ways = await Promise.all(
    runs.map(async ({ id, events }) => {
      expect((await lasting.command(id, 'retry')).status).toBe(200)
      return outline((await lasting.ended(id, 2)).slice(events.length)).filter((word) => word !== 'started')
    }),
  )
  expect(new Set(ways.map(String))).toEqual(new Set(['retry_scheduled,limit duration_limit']))
})
