// Gates and approvals of a plan: when they pause, what they say, and what an answer does.
import type { Event, PlanStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, startBench, thenStep } from '../support/engine.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const gate = (id: string, await_input: object = {}, more: object = {}): PlanStep => ({ id, await_input, ...more })
const calc = (id: string, expression: string, more: object = {}): PlanStep => ({
  id,
  tool: 'calculator',
  input: { expression },
  ...more,
})
const called = ['tool_call_start calculator', 'tool_call_done calculator', 'invoked calculator succeeded']
const step = [...called, 'step.done succeeded', 'judge continue step_done']
const lastStep = [...called, 'step.done succeeded', 'judge stop all_done', 'succeeded']
const paused = ['judge await_input input_required', 'awaiting input_required']
const stopped = ['judge stop all_done', 'succeeded']

/** Answers every wait that comes, and gives back the whole course without its beginning. */
async function approveAll(plan: PlanStep[], waits: number): Promise<string[]> {
  const id = await bench.create(planned(plan))
  for (let n = 1; n <= waits; n += 1) {
    await bench.waits(id, n)
    expect((await bench.signal(id, 'approve')).status).toBe(200)
  }
  return outline(await bench.ended(id)).slice(2)
}

describe('a gate', () => {
  test.each([
    ['first', [gate('g'), calc('a', '1')], [...paused, 'signal approve', ...lastStep]],
    ['between', [calc('a', '1'), gate('g'), calc('b', '2')], [...step, ...paused, 'signal approve', ...lastStep]],
    ['last', [calc('a', '1'), gate('g')], [...step, ...paused, 'signal approve', ...stopped]],
    ['alone', [gate('g')], [...paused, 'signal approve', ...stopped]],
  ])('may stand %s: it pauses without a step.done', async (_case, plan, course) => {
    expect(await approveAll(plan, 1)).toEqual(course)
  })

  test('two in a row pause one after the other', async () => {
    const course = [...paused, 'signal approve', ...paused, 'signal approve', ...stopped]
    expect(await approveAll([gate('g'), gate('h')], 2)).toEqual(course)
  })

  test('two side by side pause one at a time, in plan order', async () => {
    const plan = [
      gate('g', { reason_code: 'one' }, { depends_on: [] }),
      gate('h', { reason_code: 'two' }, { depends_on: [] }),
    ]
    const course = await approveAll(plan, 2)
    expect(course.filter((word) => word.startsWith('awaiting'))).toEqual(['awaiting one', 'awaiting two'])
  })

  test('pauses once nothing is executing: steps that are ready start first', async () => {
    const plan = [gate('g', {}, { depends_on: [] }), calc('a', '1', { depends_on: [] }), calc('b', '2')]
    expect(await approveAll(plan, 1)).toEqual([...step, ...step, ...paused, 'signal approve', ...stopped])
  })

  test('says what it was given: reason, kind and, only when asked for, the prompt', async () => {
    const await_input = { input_kind: 'approval', reason_code: 'payment_over_limit', prompt: 'Pay 5?' }
    const id = await bench.create(planned([gate('g', await_input)]))
    const seq = await bench.waits(id)
    const events = await bench.events(id)
    expect(outline(events).slice(2)).toEqual([
      'judge await_input approval_required',
      'awaiting payment_over_limit approval',
    ])
    expect(JSON.stringify(events)).not.toContain('Pay 5?')
    expect(await bench.include(id, 'awaiting_input')).toEqual({
      seq,
      ...await_input,
      ...{ tool: null, arguments: null, arguments_hash: null, why: null, has_read: null },
      ...{ tool_call_id: null, idempotency_key: null },
      ...{ arguments_schema: null, calls: null, approval_schema: null, approvers: null, approvals: 1 },
      ...{ not_requester: false, reauth: false, escalates_at: null, escalate_to: null, decisions: [] },
      since: events.at(-1)?.timestamp,
      expires_at: new Date(Date.parse(events.at(-1)?.timestamp ?? '') + 43_200_000).toISOString(),
    })
  })

  test.each([['payload'], ['rejection']])(
    'of kind %s is no approval: its decision says input_required',
    async (input_kind) => {
      const id = await bench.create(planned([gate('g', { input_kind })]))
      await bench.waits(id)
      const course = outline(await bench.events(id)).slice(2)
      expect(course).toEqual(['judge await_input input_required', `awaiting input_required ${input_kind}`])
    },
  )

  test('fails the run when it is rejected, and asks again after a retry', async () => {
    const id = await bench.create(planned([calc('a', '1'), gate('g'), calc('b', '2')]))
    await bench.waits(id)
    await bench.signal(id, 'reject', { payload: { reason: 'no' } })
    await bench.ended(id)
    await bench.command(id, 'retry')
    const seq = await bench.waits(id, 2)
    await bench.signal(id, 'approve')
    const events = await bench.ended(id, 2)
    const again = ['retry_scheduled', 'started', ...paused, 'signal approve', ...lastStep]
    expect(outline(events).slice(2)).toEqual([...step, ...paused, 'signal reject', 'failed signal_rejected', ...again])
    expect(seq).toBeGreaterThan(0)
  })

  test('at the end leaves the result of the step that finished last, whatever its name', async () => {
    const id = await bench.create(planned([calc('z', '1'), calc('a', '2'), gate('g')]))
    await bench.waits(id)
    await bench.signal(id, 'approve')
    await bench.ended(id)
    expect((await bench.acme.run(id)).event_payload.value).toMatchObject({ output: { result: 2 } })
  })

  test('has its prompt filled in', async () => {
    const id = await bench.create(planned([calc('a', '2*3'), gate('g', { prompt: 'Pay {{steps.a.output.result}}?' })]))
    await bench.waits(id)
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({ prompt: 'Pay 6?' })
    await bench.signal(id, 'approve')
    await bench.ended(id)
    expect(await bench.include(id, 'awaiting_input')).toBeNull()
  })

  test('is open to one answer', async () => {
    const id = await bench.create(planned([gate('g'), { id: 'w', tool: 'wait', input: { seconds: 30 } }]))
    await bench.waits(id)
    expect((await bench.signal(id, 'approve')).status).toBe(200)
    expect((await bench.signal(id, 'approve')).status).toBe(409)
  })
})

describe('a step that needs an approval', () => {
  const asked = ['judge await_input approval_required', 'awaiting approval_required approval']
  const pay = (more: object = {}) => calc('pay', '{{signal.payload.amount}} * 2', { approval: 'required', ...more })
  const answer = async (plan: PlanStep[], action: 'approve' | 'reject' | 'submit_input', payload?: object) => {
    const id = await bench.create(planned(plan, [{ say: 'agent' }]))
    const seq = await bench.waits(id)
    await bench.signal(id, action, payload ? { payload } : {})
    return { id, seq, events: await bench.ended(id) }
  }

  test.each([
    ['a tool step', calc('pay', '1', { approval: 'required' }), lastStep],
    ['an agent step', { id: 'pay', instruction: 'x', approval: 'required' } as PlanStep, lastStep.slice(3)],
  ])('waits before it and runs when approved: %s', async (_case, plan, course) => {
    const { events } = await answer([plan], 'approve')
    expect(outline(events).slice(2)).toEqual([...asked, 'signal approve', ...course])
  })

  test('runs with the payload when input is submitted', async () => {
    const { id, events } = await answer([calc('a', '1'), pay()], 'submit_input', { amount: 21 })
    expect(outline(events).slice(2)).toEqual([...step, ...asked, 'signal submit_input', ...lastStep])
    expect((await bench.acme.run(id)).event_payload.value).toMatchObject({ output: { result: 42 } })
  })

  test('does not run when rejected: the run fails', async () => {
    const { events } = await answer([pay()], 'reject')
    expect(outline(events).slice(2)).toEqual([...asked, 'signal reject', 'failed signal_rejected'])
    expect(ofType(events, 'run.tool.invoked')).toEqual([])
  })

  test('asks again after a rejection and a retry', async () => {
    const { id } = await answer([calc('a', '1'), calc('pay', '2', { approval: 'required' })], 'reject')
    await bench.command(id, 'retry')
    await bench.waits(id, 2)
    await bench.signal(id, 'approve')
    const events = await bench.ended(id, 2)
    expect(outline(events.slice(-9)).at(-1)).toBe('succeeded')
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(2)
  })

  test('is asked for once, though the step takes several attempts', async () => {
    const { events } = await answer([calc('pay', '2 +', { approval: 'required', max_attempts: 2 })], 'approve')
    expect(ofType(events, 'run.awaiting_input')).toHaveLength(1)
    expect(ofType(events, 'step.done').map(({ outcome }) => outcome)).toEqual(['retry_step', 'fail_run'])
  })

  test('lets steps beside it run first', async () => {
    const plan = [calc('pay', '1', { approval: 'required', depends_on: [] }), calc('b', '2', { depends_on: [] })]
    const { events } = await answer(plan, 'approve')
    expect(outline(events).slice(2)).toEqual([...step, ...asked, 'signal approve', ...lastStep])
  })

  test('and a gate wait one at a time, in plan order', async () => {
    const plan = [gate('g', {}, { depends_on: [] }), calc('pay', '1', { approval: 'required', depends_on: [] })]
    expect(await approveAll(plan, 2)).toEqual([...paused, 'signal approve', ...asked, 'signal approve', ...lastStep])
  })
})

test('an answer to a judge is {{signal.payload}} for the next step', async () => {
  const plan: PlanStep[] = [{ id: 'a', instruction: 'x' }, calc('b', '{{signal.payload.n}} + 1')]
  const id = await bench.create(planned(plan, [thenStep('await_input', { say: 'a' })]))
  await bench.waits(id)
  await bench.signal(id, 'submit_input', { payload: { n: 4 } })
  const events: Event[] = await bench.ended(id)
  expect(ofType(events, 'step.done').at(-1)).toMatchObject({ content: '{"result":5}' })
})
