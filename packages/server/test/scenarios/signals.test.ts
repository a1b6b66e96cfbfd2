// Signals to runs that the engine executes: keys, await_seq, and what waiting costs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench({ RUNWRIGHT_WORKER_CONCURRENCY: '1' })
})
afterAll(() => bench.stop())

const gates = planned([
  { id: 'one', await_input: {} },
  { id: 'two', await_input: {} },
])
const waiting = async (body: object = gates) => {
  const id = await bench.create(body)
  return { id, seq: await bench.waits(id) }
}
const applied = async (id: string) => ofType(await bench.events(id), 'run.signal_applied').length

describe('a repeated key', () => {
  test('is the first answer again, while the run waits for something else', async () => {
    const { id } = await waiting()
    await bench.signal(id, 'approve', { idempotency_key: 'k' })
    await bench.waits(id, 2)
    const again = await bench.signal(id, 'approve', { idempotency_key: 'k' })
    expect([again.status, await applied(id)]).toEqual([200, 1])
    expect(outline(await bench.events(id)).at(-1)).toBe('awaiting input_required')
  })

  test('is the first answer again after the run has ended', async () => {
    const { id } = await waiting(scripted([thenStep('await_input'), {}]))
    await bench.signal(id, 'approve', { idempotency_key: 'k' })
    const { length } = await bench.ended(id)
    expect((await bench.signal(id, 'approve', { idempotency_key: 'k' })).status).toBe(200)
    expect(await bench.events(id)).toHaveLength(length)
  })

  test('with another action is a conflict', async () => {
    const { id } = await waiting()
    await bench.signal(id, 'approve', { idempotency_key: 'k' })
    expectRefusal(await bench.signal(id, 'reject', { idempotency_key: 'k' }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
  })

  test('is one in the header too; that in the body wins', async () => {
    const { id } = await waiting()
    await bench.signal(id, 'approve', {}, { 'idempotency-key': 'k' })
    await bench.waits(id, 2)
    expect((await bench.signal(id, 'approve', { idempotency_key: 'k' })).status).toBe(200)
    expect(await applied(id)).toBe(1)
    await bench.signal(id, 'approve', { idempotency_key: 'l' }, { 'idempotency-key': 'k' })
    expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')
  })

  test('sent twenty times at once has one effect', async () => {
    const { id } = await waiting()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => bench.signal(id, 'approve', { idempotency_key: 'k' })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    await bench.waits(id, 2)
    expect(await applied(id)).toBe(1)
  })
})

describe('await_seq', () => {
  test('answers the wait that it names', async () => {
    const { id, seq } = await waiting()
    expect((await bench.signal(id, 'approve', { await_seq: seq })).status).toBe(200)
    const next = await bench.waits(id, 2)
    expect((await bench.signal(id, 'approve', { await_seq: next })).status).toBe(200)
    expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')
  })

  test('protects a later wait from the answer to an earlier one', async () => {
    const { id, seq } = await waiting()
    await bench.signal(id, 'approve', { await_seq: seq })
    await bench.waits(id, 2)
    expectRefusal(await bench.signal(id, 'approve', { await_seq: seq }), 409, 'RUN_NOT_AWAITING_INPUT')
    expect(await applied(id)).toBe(1)
  })
})

test('a run that waits holds no worker: with one place, another run is executed meanwhile', async () => {
  const { id } = await waiting()
  const { events } = await bench.play(scripted([{ say: 'meanwhile' }]))
  expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  expect((await bench.acme.run(id)).status).toBe('running')
})

test('a run that is answered while no place is free goes on once there is one', async () => {
  const { id } = await waiting(planned([{ id: 'g', await_input: {} }]))
  const busy = await bench.create(scripted([{ delay_ms: 400 }]))
  await bench.seen(busy, 'run.worker.started')
  expect((await bench.signal(id, 'approve')).status).toBe(200)
  expect((await bench.acme.run(id)).status).toBe('running')
  const [mine, its] = [await bench.ended(id), await bench.ended(busy)].map((events) => events.at(-1)?.timestamp ?? '')
  expect((mine ?? '') >= (its ?? '')).toBe(true)
})

test.each([
  ['is queued', scripted([{}]), 'run.created'],
  ['has ended', scripted([{}]), 'run.worker.succeeded'],
] as const)('a signal to a run that %s is refused', async (_case, body, type) => {
  const busy = type === 'run.created' ? await bench.create(scripted([{ delay_ms: 30_000 }])) : undefined
  if (busy) await bench.seen(busy, 'run.worker.started')
  const id = await bench.create(body)
  await bench.seen(id, type)
  expectRefusal(await bench.signal(id, 'approve'), 409, 'RUN_NOT_AWAITING_INPUT')
  if (busy) await bench.command(busy, 'cancel')
})

test.each([['reject'], ['approve'], ['submit_input']] as const)(
  '%s answers a judge and, after a retry, is asked for again if it said no',
  async (action) => {
    const { id } = await waiting(scripted([thenStep('await_input', { say: 'a' }), { say: 'b' }]))
    await bench.signal(id, action)
    const course = outline(await bench.ended(id))
    expect(course.at(-1)).toBe(action === 'reject' ? 'failed signal_rejected' : 'succeeded')
    if (action !== 'reject') return
    await bench.command(id, 'retry')
    await bench.waits(id, 2)
    await bench.signal(id, 'approve')
    const events = await bench.ended(id, 2)
    expect(ofType(events, 'step.done').map(({ content }) => content)).toEqual(['a', 'b'])
  },
)
