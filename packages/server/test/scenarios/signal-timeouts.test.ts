// Waits without an answer: cancelled, failed or planned again, as the service is set.
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { anEvent, expectRefusal } from '../support/http.ts'

vi.setConfig({ maxConcurrency: 20 })

const actions = ['cancel', 'fail', 'replan'] as const
const benches = new Map<string, Bench>()
beforeAll(async () => {
  for (const action of actions) {
    const env = { RUNWRIGHT_SIGNAL_TIMEOUT_SECONDS: '0.5', RUNWRIGHT_SIGNAL_TIMEOUT_ACTION: action }
    benches.set(action, await startBench(env))
  }
})
afterAll(async () => {
  for (const bench of benches.values()) await bench.stop()
})
const benchFor = (action: (typeof actions)[number]) => benches.get(action) as Bench

const asking = scripted([thenStep('await_input', { say: 'a' }), { say: 'b' }])
const gate = planned([{ id: 'g', await_input: {} }, { instruction: 'x' }], [{ say: 'after' }])

const replanned = ['judge replan signal_timeout', 'step.done succeeded', 'planner continue plan_ready']
const worked = ['step.done succeeded', 'judge stop all_done', 'succeeded']

describe.concurrent.each([
  ['a judge', asking, [...replanned, ...worked]],
  // The gate came with the run: it is asked again after the new steps, and not passed for want of an answer.
  [
    'a gate',
    gate,
    [
      ...replanned,
      'step.done succeeded',
      'judge continue step_done',
      'judge await_input input_required',
      'awaiting input_required',
    ],
  ],
])('a wait for %s without an answer', (_case, body, course) => {
  test('is cancelled, with signal_timeout', async () => {
    const bench = benchFor('cancel')
    const id = await bench.create(body)
    const seq = await bench.waits(id)
    const request_id = ofType(await bench.events(id), 'run.created')[0]?.request_id
    const value = { request_id, from_status: 'running', to_status: 'cancelled', reason_code: 'signal_timeout' }
    expect((await bench.ended(id)).slice(seq)).toEqual([anEvent(seq + 1, 'run.cancelled', value)])
    expect((await bench.acme.run(id)).status).toBe('cancelled')
  })

  test('fails, with signal_timeout', async () => {
    const bench = benchFor('fail')
    const id = await bench.create(body)
    const seq = await bench.waits(id)
    const request_id = ofType(await bench.events(id), 'run.created')[0]?.request_id
    const value = { request_id, from_status: 'running', to_status: 'failed', reason_code: 'signal_timeout' }
    expect((await bench.ended(id)).slice(seq)).toEqual([anEvent(seq + 1, 'run.worker.failed', value)])
    expect((await bench.acme.run(id)).status).toBe('failed')
  })

  test('is planned again, and the run goes on', async () => {
    const bench = benchFor('replan')
    const id = await bench.create(body)
    const seq = await bench.waits(id)
    const isThere = (events: Event[]) => outline(events.slice(seq)).length >= course.length
    expect(outline((await bench.until(id, isThere)).slice(seq)).slice(0, course.length)).toEqual(course)
    await bench.command(id, 'cancel')
  })
})

test.concurrent('it ends not before its time, which the run shows, and soon after it', async () => {
  const bench = benchFor('cancel')
  const id = await bench.create(asking)
  await bench.waits(id)
  const { since, expires_at } = await bench.include<{ since: string; expires_at: string }>(id, 'awaiting_input')
  expect(Date.parse(expires_at) - Date.parse(since)).toBe(500)
  const end = Date.parse((await bench.ended(id)).at(-1)?.timestamp ?? '')
  expect(end).toBeGreaterThanOrEqual(Date.parse(expires_at))
  expect(end - Date.parse(expires_at)).toBeLessThan(1_500)
})

test.concurrent('a signal after it is refused', async () => {
  const bench = benchFor('cancel')
  const id = await bench.create(asking)
  await bench.ended(id)
  expectRefusal(await bench.signal(id, 'approve'), 409, 'RUN_NOT_AWAITING_INPUT')
})

test.concurrent('a retry after a timeout that failed the run asks again', async () => {
  const bench = benchFor('fail')
  const id = await bench.create(asking)
  await bench.ended(id)
  await bench.command(id, 'retry')
  await bench.waits(id, 2)
  await bench.signal(id, 'approve')
  expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
})

test.concurrent('a second wait has a timeout of its own', async () => {
  const bench = benchFor('cancel')
  const id = await bench.create(planned([{ await_input: {} }, { await_input: {} }]))
  await bench.waits(id)
  await bench.signal(id, 'approve')
  const seq = await bench.waits(id, 2)
  const events = await bench.ended(id)
  const waited = Date.parse(events.at(-1)?.timestamp ?? '') - Date.parse(events[seq - 1]?.timestamp ?? '')
  expect(waited).toBeGreaterThanOrEqual(500)
})
