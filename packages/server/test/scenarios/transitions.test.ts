// Every row of the specification's table of transitions: the event it writes, field by field, and the status that
// follows.
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { anEvent, expectRefusal } from '../support/http.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench({ RUNWRIGHT_MAX_RECOVERIES: '0', RUNWRIGHT_TOKEN_CEILING: '1000' })
})
afterAll(() => bench.stop())

const gate = scripted([thenStep('await_input', { say: 'a' }), { say: 'b' }])
const failing = scripted([{ fail: { reason_code: 'model_refused', times: 1 } }])
const slow = scripted([{ delay_ms: 60_000 }])
const stalling = planned([{ tool: 'wait', input: { seconds: 60 }, timeout_seconds: 0.05 }])

const create = async (body: object, requestId = 'req-create') => {
  const reply = await bench.acme.create(body, { 'x-request-id': requestId })
  expect(reply.status, reply.text).toBe(201)
  return reply.json<{ id: string }>().id
}
const statusOf = async (id: string) => (await bench.acme.run(id)).status
const from = (events: Event[], type: string) => events.slice(events.findIndex((event) => event.type === type))
const moved = (from_status: string, to_status: string, reason_code: string | null, request_id = 'req-create') => ({
  request_id,
  from_status,
  to_status,
  reason_code,
})
const judged = (decision_type: string, reason_code: string, request_id = 'req-create') => ({
  request_id,
  decision_type,
  reason_code,
  role: 'judge',
  judge_decision: { decision: decision_type, reason: expect.stringMatching(/\S/) },
})

describe('a run', () => {
  test('that is created is queued, with run.created and one usage record of that type', async () => {
    const labels = { workspace_id: 'created-only', subject_id: 'someone' }
    const id = await create({ ...scripted([{}]), ...labels })
    const [created] = await bench.events(id)
    const routing = { first_role: 'worker', decided_by: 'hint', reason: expect.any(String) }
    const value = { request_id: 'req-create', routing_hint: 'skip_planning', routing }
    expect(created).toEqual(anEvent(1, 'run.created', value, true))
    const usage = await bench.acme.get('/v1/usage?workspace_id=created-only&event_type=run.created')
    expect(usage.json().usage).toMatchObject([{ event_type: 'run.created', count: 1, total_quantity: 1 }])
  })

  test('that a worker claims is running, with run.worker.started', async () => {
    const id = await create(slow)
    const events = await bench.seen(id, 'run.worker.started')
    expect(events[1]).toEqual(anEvent(2, 'run.worker.started', moved('queued', 'running', null)))
    expect(await statusOf(id)).toBe('running')
  })

  test('that is done is succeeded, with run.worker.succeeded', async () => {
    const id = await create(scripted([{ say: 'a' }]))
    const last = (await bench.ended(id)).at(-1) as Event
    expect(last).toEqual(anEvent(last.seq, 'run.worker.succeeded', moved('running', 'succeeded', null)))
    expect(await statusOf(id)).toBe('succeeded')
  })

  test('that fails is failed, with run.worker.failed and the reason', async () => {
    const id = await create(failing)
    const last = (await bench.ended(id)).at(-1) as Event
    expect(last).toEqual(anEvent(last.seq, 'run.worker.failed', moved('running', 'failed', 'model_refused')))
    expect(await statusOf(id)).toBe('failed')
  })

  test('that takes too long over a step is stalled, with run.worker.stalled', async () => {
    const id = await create(stalling)
    const last = (await bench.seen(id, 'run.worker.stalled')).at(-1) as Event
    expect(last).toEqual(anEvent(last.seq, 'run.worker.stalled', moved('running', 'stalled', 'step_timeout')))
    expect(await statusOf(id)).toBe('stalled')
  })

  test('that is over its tokens is failed, with run.limit_exceeded and nothing after it', async () => {
    const id = await create(scripted([{ tokens: 1001 }, {}]))
    const last = (await bench.ended(id)).at(-1) as Event
    const value = { limitType: 'cost_ceiling', currentValue: 1001, threshold: 1000, unit: 'tokens' }
    expect(last).toEqual(anEvent(last.seq, 'run.limit_exceeded', value))
    expect(await statusOf(id)).toBe('failed')
  })
})

describe('a judge that wants input', () => {
  test('writes the decision, then run.awaiting_input, and the run stays running', async () => {
    const id = await create(gate)
    const seq = await bench.waits(id)
    expect((await bench.events(id)).slice(-2)).toEqual([
      anEvent(seq - 1, 'run.coordination.decision', judged('await_input', 'input_required')),
      anEvent(seq, 'run.awaiting_input', { request_id: 'req-create', reason_code: 'input_required' }),
    ])
    expect(await statusOf(id)).toBe('running')
  })

  test('says approval_required in its decision when it wants an approval', async () => {
    const wait = { input_kind: 'approval', reason_code: 'needs_review' } as const
    const id = await create(scripted([thenStep('await_input', { await: wait }), {}]))
    const seq = await bench.waits(id)
    expect((await bench.events(id)).slice(-2)).toEqual([
      anEvent(seq - 1, 'run.coordination.decision', judged('await_input', 'approval_required')),
      anEvent(seq, 'run.awaiting_input', { request_id: 'req-create', ...wait }),
    ])
  })

  test.each([
    ['approve', 'run.signal_applied'],
    ['submit_input', 'run.input_received'],
  ] as const)('goes on after %s, with %s and neither run.resumed nor run.worker.started', async (action, type) => {
    const id = await create(gate)
    const seq = await bench.waits(id)
    await bench.signal(id, action, {}, { 'x-request-id': 'req-signal' })
    const after = (await bench.ended(id)).slice(seq)
    expect(after[0]).toEqual(anEvent(seq + 1, type, { request_id: 'req-signal', action }))
    expect(outline(after.slice(1))).toEqual(['step.done succeeded', 'judge stop all_done', 'succeeded'])
  })

  test('fails after reject, with run.signal_applied and then run.worker.failed', async () => {
    const id = await create(gate)
    const seq = await bench.waits(id)
    await bench.signal(id, 'reject', {}, { 'x-request-id': 'req-signal' })
    expect((await bench.ended(id)).slice(seq)).toEqual([
      anEvent(seq + 1, 'run.signal_applied', { request_id: 'req-signal', action: 'reject' }),
      anEvent(seq + 2, 'run.worker.failed', moved('running', 'failed', 'signal_rejected', 'req-signal')),
    ])
    expect(await statusOf(id)).toBe('failed')
  })
})

describe('a request', () => {
  test('to retry a failed run queues it, and a worker starts it again', async () => {
    const id = await create(failing)
    await bench.ended(id)
    const reply = await bench.command(id, 'retry', { 'x-request-id': 'req-retry' })
    expect(reply.json()).toMatchObject({ id, status: 'queued' })
    const [scheduled, started, ...rest] = from(await bench.ended(id, 2), 'run.worker.retry_scheduled')
    expect(scheduled?.payload.value).toEqual(moved('failed', 'queued', null, 'req-retry'))
    expect(started?.payload.value).toEqual(moved('queued', 'running', null, 'req-retry'))
    expect(outline(rest)).toEqual(['step.done succeeded', 'judge stop all_done', 'succeeded'])
    expect(rest.every(({ payload }) => payload.value.request_id === 'req-retry')).toBe(true)
  })

  test('to resume a stalled run queues it, and a worker starts it again', async () => {
    const id = await create(stalling)
    await bench.seen(id, 'run.worker.stalled')
    const reply = await bench.command(id, 'resume', { 'x-request-id': 'req-resume' })
    expect(reply.json()).toMatchObject({ id, status: 'queued' })
    const [resumed, started] = from(await bench.seen(id, 'run.worker.stalled', 2), 'run.resumed')
    const { reason_code, ...value } = moved('stalled', 'queued', null, 'req-resume')
    expect(resumed?.payload.value).toEqual(value)
    expect(started).toMatchObject({ type: 'run.worker.started', payload: { value: { request_id: 'req-resume' } } })
  })

  const states: [string, object, 'run.worker.started' | 'run.awaiting_input' | 'run.worker.stalled'][] = [
    ['running', slow, 'run.worker.started'],
    ['running', gate, 'run.awaiting_input'],
    ['stalled', stalling, 'run.worker.stalled'],
  ]
  test.each(states)('to cancel a run that is %s ends it', async (from_status, body, type) => {
    const id = await create(body)
    const { length } = await bench.seen(id, type)
    const reply = await bench.command(id, 'cancel', { 'x-request-id': 'req-cancel' })
    expect(reply.json()).toMatchObject({ id, status: 'cancelled' })
    const value = { request_id: 'req-cancel', from_status, to_status: 'cancelled' }
    expect((await bench.ended(id)).slice(length)).toEqual([anEvent(length + 1, 'run.cancelled', value)])
    expect(await statusOf(id)).toBe('cancelled')
  })

  test.each([
    ['retry', slow, 'run.worker.started'],
    ['resume', slow, 'run.worker.started'],
    ['retry', stalling, 'run.worker.stalled'],
    ['resume', failing, 'run.worker.failed'],
    ['cancel', failing, 'run.worker.failed'],
    ['retry', scripted([{}]), 'run.worker.succeeded'],
    ['resume', scripted([{}]), 'run.worker.succeeded'],
    ['cancel', scripted([{}]), 'run.worker.succeeded'],
  ] as const)('to %s a run in another state is refused and writes nothing (case %#)', async (command, body, type) => {
    const id = await create(body)
    const { length } = await bench.seen(id, type)
    expectRefusal(await bench.command(id, command), 409, 'RUN_STATE_CONFLICT')
    expect(await bench.events(id)).toHaveLength(length)
  })
})

test('what a worker writes carries the id of the request that last set the run going', async () => {
  const id = await create(
    scripted([thenStep('await_input'), { fail: { times: 1 } }, thenStep('await_input'), {}]),
    'one',
  )
  await bench.waits(id)
  await bench.signal(id, 'approve', {}, { 'x-request-id': 'two' })
  await bench.ended(id)
  await bench.command(id, 'retry', { 'x-request-id': 'three' })
  await bench.waits(id, 2)
  await bench.signal(id, 'submit_input', {}, { 'x-request-id': 'four' })
  const ids = (await bench.ended(id, 2)).map(({ payload }) => payload.value.request_id)
  expect([...new Set(ids)]).toEqual(['one', 'two', 'three', 'four'])
  expect(ids).toEqual([...ids].sort((a, b) => order.indexOf(`${a}`) - order.indexOf(`${b}`)))
})
const order = ['one', 'two', 'three', 'four']
