// A fork keeps what a run had finished when a step ended, and executes the rest: with the same input or another one.
import type { CreatedRun, Event, PlanStep, Usage } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, thenStep, type Value } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const book = ownTool({ name: 'book', effect: 'once' })
const note = ownTool({ name: 'note' })
const slow = ownTool({ name: 'slow', held: true })

let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools: [book, note, slow] })
})
afterAll(() => bench.stop())

const forkOf = async (id: string, body: Value): Promise<string> => {
  const reply = await bench.acme.post(`/v1/runs/${id}/fork`, body, { 'idempotency-key': crypto.randomUUID() })
  expect(reply.status, reply.text).toBe(201)
  return reply.json<CreatedRun>().id
}
const playFork = async (id: string, body: Value): Promise<{ id: string; events: Event[] }> => {
  const fork = await forkOf(id, body)
  return { id: fork, events: await bench.ended(fork) }
}
const result = async (id: string) => (await bench.acme.run(id)).event_payload.value
const doneContents = (events: Event[]) => ofType(events, 'step.done').map(({ content }) => content)
const noted = (id: string) => note.callsOf(id).map(({ input }) => input)

const trip: PlanStep[] = [
  { id: 'book', tool: 'book', input: { city: '{{input.city}}' } },
  { id: 'tell', tool: 'note', input: { booked: '{{steps.book.output.city}}', to: '{{input.guest}}' } },
]
const tripTo = (city: string) => planned(trip, [], { input: { city, guest: 'Ada' } })

describe('the steps', () => {
  test('up to the one that is named are not executed again, and templates read their results', async () => {
    const { id } = await bench.play(tripTo('Rome'))
    const fork = await playFork(id, { from_step: 'book', input: { city: 'Oslo', guest: 'Bob' } })
    expect(book.callsOf(fork.id)).toEqual([])
    expect(noted(fork.id)).toEqual([{ booked: 'Rome', to: 'Bob' }])
    expect(await result(fork.id)).toMatchObject({ output: { booked: 'Rome', to: 'Bob' } })
    expect(noted(id)).toEqual([{ booked: 'Rome', to: 'Ada' }])
  })

  test('that are kept have no events, no tokens and no usage in the fork', async () => {
    const steps = [
      { say: 'one', tokens: 70 },
      { say: 'two', tokens: 5 },
    ]
    const { id } = await bench.play(scripted(steps, { workspace_id: 'usage of forks' }))
    const fork = await playFork(id, { from_step: '#0' })
    expect(outline(fork.events)).toEqual([
      ...['created', 'started', 'step.done succeeded', 'judge stop all_done', 'succeeded'],
    ])
    expect(fork.events.map(({ seq }) => seq)).toEqual(fork.events.map((_, n) => n + 1))
    expect(doneContents(fork.events)).toEqual(['two'])
    expect(await bench.include(fork.id, 'usage')).toEqual({ tokens: 5, steps: 1, tool_calls: 0 })
    const { usage } = (await bench.acme.get('/v1/usage?workspace_id=usage%20of%20forks')).json<Usage>()
    const quantities = Object.fromEntries(usage.map((row) => [row.event_type, row.total_quantity]))
    expect(quantities).toEqual({ 'run.created': 2, 'task.completed': 3, 'tokens.consumed': 80 })
  })

  test('that finished before it beside it are kept, and those that finished after it are executed', async () => {
    const plan: PlanStep[] = [
      { id: 'first', tool: 'note', input: { n: 1 }, depends_on: [] },
      { id: 'second', tool: 'note', input: { n: 2 }, depends_on: ['first'] },
      { id: 'slow', tool: 'slow', depends_on: [] },
    ]
    const id = await bench.create(planned(plan))
    await bench.seen(id, 'step.done', 2)
    slow.release()
    await bench.ended(id)
    const before = await playFork(id, { from_step: 'second' })
    expect([noted(before.id), slow.callsOf(before.id).length]).toEqual([[], 1])
    const after = await playFork(id, { from_step: 'first' })
    expect([noted(after.id), slow.callsOf(after.id).length]).toEqual([[{ n: 2 }], 1])
    const all = await playFork(id, { from_step: 'slow' })
    expect([noted(all.id), slow.callsOf(all.id).length]).toEqual([[], 0])
  })

  test('after the last one are none: the fork succeeds at once with its result', async () => {
    const { id } = await bench.play(tripTo('Rome'))
    const fork = await playFork(id, { from_step: 'tell' })
    expect(outline(fork.events)).toEqual(['created', 'started', 'judge stop all_done', 'succeeded'])
    expect(await result(fork.id)).toEqual(await result(id))
  })

  test('that the judge left out when it stopped the run are executed', async () => {
    const script = [thenStep('stop', { say: 'a' }), { say: 'b' }]
    const { id, events } = await bench.play(scripted(script, { routing_hint: 'require_planning' }))
    expect(doneContents(events).slice(1)).toEqual(['a'])
    expect(doneContents((await playFork(id, { from_step: 'step_1' })).events)).toEqual(['b'])
  })
})

describe('a fork of', () => {
  const failing = planned(trip.with(1, { id: 'bad', instruction: 'x' }), [{ fail: { reason_code: 'odd' } }], {
    input: { city: 'Rome' },
  })

  test('a failed run tries the failed step with another input, with all its attempts', async () => {
    const { id, events } = await bench.play(failing)
    expect(outline(events).at(-1)).toBe('failed odd')
    const script = { steps: [{ say: 'fine', fail: { retryable: true, times: 2 } }] }
    const fork = await playFork(id, { from_step: 'book', input: { city: 'Rome', sandbox: script } })
    expect(outline(fork.events).filter((word) => word === 'step.done retry_step')).toHaveLength(2)
    expect(await result(fork.id)).toMatchObject({ content: 'fine' })
    expect(book.callsOf(fork.id)).toEqual([])
  })

  test('a run that is still executing keeps what it has finished so far', async () => {
    const id = await bench.create(
      planned([trip[0] as PlanStep, { id: 'gate', await_input: {} }], [], { input: { city: 'Bonn' } }),
    )
    await bench.waits(id)
    const fork = await forkOf(id, { from_step: 'book' })
    await bench.waits(fork)
    expect(book.callsOf(fork)).toEqual([])
    expect((await bench.acme.run(id)).status).toBe('running')
  })

  test('a fork keeps what that one had kept, also from an earlier step', async () => {
    const plan: PlanStep[] = [
      ...trip,
      { id: 'gate', await_input: {} },
      { id: 'end', tool: 'note', input: { told: '{{steps.tell.output.to}}', said: '{{steps.gate.output}}' } },
    ]
    const id = await bench.create(planned(plan, [], { input: { city: 'Rome', guest: 'Ada' } }))
    await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload: 'yes' })
    await bench.ended(id)
    const fork = await playFork(id, { from_step: 'gate', input: { guest: 'Bob' } })
    expect(noted(fork.id)).toEqual([{ told: 'Ada', said: 'yes' }])
    const later = await playFork(fork.id, { from_step: 'gate' })
    expect(noted(later.id)).toEqual([{ told: 'Ada', said: 'yes' }])
    const earlier = await forkOf(fork.id, { from_step: 'book' })
    await bench.waits(earlier)
    expect([book.callsOf(earlier), noted(earlier)]).toEqual([[], [{ booked: 'Rome', to: 'Bob' }]])
    expect(await bench.include(earlier, 'forked_from')).toEqual({ run_id: fork.id, step_id: 'book' })
  })

  test('a run goes on after what it kept when it is claimed again', async () => {
    const plan = trip.with(1, { id: 'say', instruction: '{{steps.book.output.city}}' })
    const script = [{ say: 'told', fail: { times: 1 } }]
    const { id } = await bench.play(planned(plan, script, { input: { city: 'Rome' } }))
    const fork = await forkOf(id, { from_step: 'book' })
    expect(outline(await bench.ended(fork)).at(-1)).toBe('failed provider_error')
    await bench.command(fork, 'retry')
    expect(outline(await bench.ended(fork, 2)).at(-1)).toBe('succeeded')
    expect(book.callsOf(fork)).toEqual([])
  })

  test('a run that was deleted since goes on', async () => {
    const { id } = await bench.play(tripTo('Rome'))
    const fork = await forkOf(id, { from_step: 'book' })
    await bench.acme.send({ method: 'DELETE', path: `/v1/runs/${id}` })
    expect(outline(await bench.ended(fork)).at(-1)).toBe('succeeded')
    expect([book.callsOf(fork), noted(fork)]).toEqual([[], [{ booked: 'Rome', to: 'Ada' }]])
    expect(await bench.include(fork, 'forked_from')).toEqual({ run_id: id, step_id: 'book' })
  })
})

describe('a gate', () => {
  const gated: PlanStep[] = [
    { id: 'a', tool: 'note', input: { n: 1 } },
    { id: 'gate', await_input: { prompt: 'Ok?' } },
    { id: 'b', tool: 'note', input: { said: '{{steps.gate.output.word}}', last: '{{signal.payload.word}}' } },
    { id: 'c', tool: 'note', input: { n: 3 }, approval: 'required' },
    { id: 'd', tool: 'note', input: { n: 4 } },
  ]
  let id: string
  beforeAll(async () => {
    id = await bench.create(planned(gated))
    await bench.waits(id, 1)
    await bench.signal(id, 'submit_input', { payload: { word: 'go' } })
    await bench.waits(id, 2)
    await bench.signal(id, 'approve')
    await bench.ended(id)
  })

  test('before the step keeps its answer', async () => {
    const fork = await forkOf(id, { from_step: 'gate' })
    await bench.waits(fork)
    expect(noted(fork)).toEqual([{ said: 'go', last: 'go' }])
    expect(await bench.include(fork, 'signals')).toEqual([])
  })

  test('after the step asks again', async () => {
    const fork = await forkOf(id, { from_step: 'a' })
    await bench.waits(fork)
    expect(await bench.include(fork, 'awaiting_input')).toMatchObject({ prompt: 'Ok?' })
    await bench.signal(fork, 'submit_input', { payload: { word: 'stop' } })
    await bench.waits(fork, 2)
    expect(noted(fork)).toEqual([{ said: 'stop', last: 'stop' }])
  })

  test('and an approval: that of a kept step is kept, and that of a step that is executed again is asked again', async () => {
    expect(outline((await playFork(id, { from_step: 'c' })).events)).not.toContain('signal approve')
    const fork = await forkOf(id, { from_step: 'b' })
    await bench.waits(fork)
    expect(noted(fork)).toEqual([])
  })
})

describe('a plan of the planner', () => {
  const steps = [{ say: 'a' }, thenStep('replan', { say: 'b' }), { say: 'c' }, { say: 'd' }]
  let id: string
  beforeAll(async () => {
    const played = await bench.play(scripted(steps, { routing_hint: 'require_planning' }))
    expect(doneContents(played.events).length).toBeGreaterThan(5)
    id = played.id
  })
  const decisions = (events: Event[]) =>
    outline(events).filter((word) => word.startsWith('planner') || word.includes('replan'))

  test('is kept, and a fork after the planner executes all of its steps', async () => {
    const { id: planless } = await bench.play(
      scripted([{ say: 'x' }, { say: 'y' }], { routing_hint: 'require_planning' }),
    )
    const fork = await playFork(planless, { from_step: 'planner' })
    expect([decisions(fork.events), doneContents(fork.events)]).toEqual([[], ['x', 'y']])
    expect(await bench.include(fork.id, 'plan')).toEqual(await bench.include(planless, 'plan'))
  })

  test('is the one that was in force when the step ended', async () => {
    const plan = await bench.include<{ steps: { id: string }[] }>(id, 'plan')
    const first = plan.steps[0]?.id ?? ''
    const fork = await playFork(id, { from_step: first })
    expect(decisions(fork.events)).toEqual([])
    expect(await bench.include(fork.id, 'plan')).toEqual(plan)
    expect(doneContents(fork.events)).toEqual(['d'])
  })
})
