// Steps that take too long: stalled, taken up again a few times, then left until someone resumes.
import type { Event, PlanStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { type Bench, ofType, outline, planned, scripted, startBench, type Value } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

vi.setConfig({ maxConcurrency: 20 })

const hanging = ownTool({ name: 'hanging', held: true })
const opening = ownTool({ name: 'opening', held: true })
const spending = ownTool({ name: 'spending', effect: 'once', held: true })
const quick = ownTool({ name: 'quick', effect: 'once' })

let bench: Bench
beforeAll(async () => {
  const env = {
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.1',
    RUNWRIGHT_MAX_RECOVERIES: '2',
    RUNWRIGHT_STEP_TIMEOUT_SECONDS: '0.4',
  }
  bench = await startBench(env, { tools: [hanging, opening, spending, quick] })
})
afterAll(() => bench.stop())

const tooLong = (id: string, timeout_seconds: number): PlanStep => ({
  id,
  tool: 'wait',
  input: { seconds: 60 },
  timeout_seconds,
})
const stalled = ['stalled step_timeout']
const recovered = [...stalled, 'resumed running']
const callStart = ['tool_call_start wait']
const previewOf = (call: Value) => (call.tool_output_summary as { preview: string }).preview
const at = (events: Event[], type: string) =>
  events.filter((event) => event.type === type).map(({ timestamp }) => Date.parse(timestamp))

describe.concurrent('a step over its timeout', () => {
  test('stalls the run, which is taken up again twice, later each time, and then stays stalled', async () => {
    const id = await bench.create(planned([tooLong('a', 0.1)]))
    const events = await bench.seen(id, 'run.worker.stalled', 3)
    expect(outline(events)).toEqual(['created', 'started', ...callStart, ...recovered, ...recovered, ...stalled])
    const [first = 0, second = 0] = at(events, 'run.resumed').map(
      (time, n) => time - (at(events, 'run.worker.stalled')[n] ?? 0),
    )
    expect(first).toBeGreaterThanOrEqual(95)
    expect(second).toBeGreaterThanOrEqual(195)
    expect((await bench.acme.run(id)).status).toBe('stalled')
  })

  test('writes run.resumed with exactly its three fields', async () => {
    const id = await bench.create(planned([tooLong('a', 0.05)]))
    const events = await bench.seen(id, 'run.resumed')
    const request_id = ofType(events, 'run.created')[0]?.request_id
    expect(ofType(events, 'run.resumed')[0]).toEqual({ request_id, from_status: 'stalled', to_status: 'running' })
  })

  test('can be resumed when its recoveries are used up, and then has all of them again', async () => {
    const id = await bench.create(planned([tooLong('a', 0.05)]))
    await bench.seen(id, 'run.worker.stalled', 3)
    expect((await bench.command(id, 'resume')).json()).toMatchObject({ status: 'queued' })
    const events = await bench.seen(id, 'run.worker.stalled', 6)
    const resumed = ['resumed queued', 'started', ...recovered, ...recovered, ...stalled]
    expect(outline(events).slice(-resumed.length)).toEqual(resumed)
  })

  test('may be an agent step, with its own timeout', async () => {
    const plan = [{ id: 'a', instruction: 'x', timeout_seconds: 0.1 }]
    const id = await bench.create(planned(plan, [{ delay_ms: 60_000 }]))
    expect(outline(await bench.seen(id, 'run.worker.stalled'))).toEqual(['created', 'started', ...stalled])
  })

  test('without one of its own has that of the service', async () => {
    const id = await bench.create(scripted([{ delay_ms: 60_000 }]))
    const events = await bench.seen(id, 'run.worker.stalled')
    const [start = 0] = at(events, 'run.worker.started')
    expect((at(events, 'run.worker.stalled')[0] ?? 0) - start).toBeGreaterThanOrEqual(395)
    expect(outline(events)).toEqual(['created', 'started', ...stalled])
  })

  test('is aborted within a moment', async () => {
    const id = await bench.create(scripted([{ tools: [{ name: 'hanging' }] }]))
    await bench.seen(id, 'run.worker.stalled')
    const seen = performance.now()
    const { aborted } = await hanging.called(id)
    expect((await aborted) - seen).toBeLessThan(300)
  })
})

describe.concurrent('recovery', () => {
  test('goes on after the finished steps and keeps their task_ids', async () => {
    const plan = [{ id: 'a', tool: 'calculator', input: { expression: '1' } }, tooLong('b', 0.05)]
    const id = await bench.create(planned(plan))
    const events = await bench.seen(id, 'run.worker.stalled', 3)
    expect(ofType(events, 'step.done')).toHaveLength(1)
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_name: 'calculator' }])
  })

  test('counts from zero after a step was finished', async () => {
    const plan = ['a', 'b'].map((id) => ({ id, instruction: 'x', timeout_seconds: 0.4 }))
    const id = await bench.create(planned(plan, [{ tools: [{ name: 'opening' }] }, { delay_ms: 60_000 }]))
    await bench.seen(id, 'run.worker.stalled')
    opening.release()
    const events = await bench.seen(id, 'run.worker.stalled', 4)
    const course = outline(events)
    const done = course.indexOf('step.done succeeded')
    expect(course.slice(0, done).filter((word) => word === 'resumed running')).toHaveLength(1)
    expect(course.slice(done).filter((word) => word === 'resumed running')).toHaveLength(2)
    expect(course.at(-1)).toBe('stalled step_timeout')
  })

  test('does not repeat a finished tool call, and keeps its step and its text', async () => {
    const id = await bench.create(scripted([{ tools: [{ name: 'quick' }], say: 'a b c d e', chunk_ms: 150 }]))
    await bench.seen(id, 'run.worker.stalled', 3)
    expect(quick.callsOf(id)).toHaveLength(1)
    const events = await bench.events(id)
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(1)
    expect(new Set(ofType(events, 'step.progress').map(({ task_id }) => task_id)).size).toBe(1)
  })

  test('redoes a read call under the same id and key; tool_call_start is not repeated', async () => {
    const id = await bench.create(scripted([{ tools: [{ name: 'hanging', input: { a: 1 } }] }]))
    const events = await bench.seen(id, 'run.worker.stalled', 3)
    const calls = hanging.callsOf(id)
    expect(calls).toHaveLength(3)
    expect(new Set(calls.map(({ context }) => `${context.toolCallId} ${context.idempotencyKey}`)).size).toBe(1)
    expect(outline(events).filter((word) => word === 'tool_call_start hanging')).toHaveLength(1)
  })

  test.each([
    ['an agent step', scripted([{ tools: [{ name: 'spending' }] }])],
    ['a tool step', planned([{ tool: 'spending' }])],
  ])('asks before it redoes a once call of %s, each time', async (_case, body) => {
    const id = await bench.create(body)
    for (const times of [1, 2]) {
      await bench.waits(id, times)
      expect(outline(await bench.events(id)).at(-1)).toMatch(/^awaiting tool_outcome_unknown/)
      expect(spending.callsOf(id)).toHaveLength(times)
      await bench.signal(id, times < 2 ? 'approve' : 'submit_input', { payload: 'paid' })
    }
    const events = await bench.ended(id)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(spending.callsOf(id)).toHaveLength(2)
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_output_summary: { preview: 'paid' } }])
  })

  test('asks for two once calls of one step one after the other', async () => {
    const id = await bench.create(scripted([{ tools: [1, 2].map((n) => ({ name: 'spending', input: { n } })) }]))
    for (const times of [1, 2]) {
      await bench.waits(id, times)
      await bench.signal(id, 'submit_input', { payload: `receipt ${times}` })
    }
    const events = await bench.ended(id)
    expect(spending.callsOf(id)).toHaveLength(2)
    expect(ofType(events, 'run.tool.invoked').map(previewOf).toSorted()).toEqual(['receipt 1', 'receipt 2'])
  })
})

test('a worker that takes up a run again which it had lost itself aborts its old call', async () => {
  const alone = await startBench({ RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0' }, { tools: [hanging] })
  try {
    const id = await alone.create(scripted([{ tools: [{ name: 'hanging' }] }]))
    const old = await hanging.called(id)
    await alone.service.database.query({
      text: `update runs set lease_until = clock_timestamp() - interval '1 second' where id = $1`,
      values: [fromWireId('run', id)],
    })
    const again = await hanging.called(id, 2)
    expect((await old.aborted) - again.at).toBeLessThan(1_000)
  } finally {
    hanging.release()
    await alone.stop()
  }
})
