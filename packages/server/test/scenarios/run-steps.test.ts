// `include=steps` and `include=output`: what a client learns of the steps of a run, with its own plan or another.
import type { PlanStep, RunList, RunStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { maxStepBytes } from '../../src/store/runs/step-facts.ts'
import { type Bench, ofType, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const slow = ownTool({ name: 'slow', held: true })
const cut = ownTool({ name: 'cut', held: true })
const note = ownTool({ name: 'note' })

let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools: [slow, cut, note] })
})
afterAll(() => bench.stop())

const stepsOf = (id: string) => bench.include(id, 'steps') as Promise<RunStep[]>
const statesOf = async (id: string) => (await stepsOf(id)).map((step) => [step.id, step.kind, step.state])
const tool = (id: string, name: string, more: object = {}): PlanStep => ({ id, tool: name, input: { n: 1 }, ...more })
const agent = (id: string, more: object = {}): PlanStep => ({ id, instruction: `Do ${id}.`, ...more })
const gate = (id: string, more: object = {}): PlanStep => ({ id, await_input: { prompt: 'Go on?' }, ...more })

describe('a plan of the client', () => {
  test('has its steps in its order, from the first to the last state', async () => {
    const plan = [agent('draft'), gate('ask'), tool('send', 'slow')]
    const id = await bench.create(planned(plan, [{ say: 'A letter.' }]))
    await bench.waits(id)
    expect(await statesOf(id)).toEqual([
      ['draft', 'agent', 'succeeded'],
      ['ask', 'gate', 'waiting'],
      ['send', 'tool', 'pending'],
    ])
    await bench.signal(id, 'submit_input', { payload: { note: 'gently' } })
    await slow.called(id)
    expect(await statesOf(id)).toContainEqual(['send', 'tool', 'running'])
    slow.release()
    const events = await bench.ended(id)
    const [draft, ask, send] = await stepsOf(id)
    const ended = ofType(events, 'step.done').map(({ task_id }) => task_id)
    expect([draft?.task_id, ask?.task_id, send?.task_id]).toEqual([ended[0], null, ended[1]])
    expect(draft).toMatchObject({ state: 'succeeded', attempts: 1, content: 'A letter.', output: null, error: null })
    expect(ask).toMatchObject({ state: 'succeeded', output: { note: 'gently' } })
    expect(send).toMatchObject({ content: '{"n":1}', output: { n: 1 } })
    for (const { started_at, ended_at } of [draft, ask, send] as RunStep[]) {
      expect(Date.parse(started_at ?? '')).toBeLessThanOrEqual(Date.parse(ended_at ?? ''))
    }
  })

  test('says why a step failed, how often it was tried, and that the others were skipped', async () => {
    const sum = { id: 'sum', tool: 'calculator', input: { expression: '1 +' }, max_attempts: 2 }
    const { id } = await bench.play(planned([tool('first', 'note'), sum, gate('ask'), agent('last')]))
    const steps = await stepsOf(id)
    expect(steps.map(({ state }) => state)).toEqual(['succeeded', 'failed', 'skipped', 'skipped'])
    expect(steps[1]).toMatchObject({
      attempts: 2,
      content: null,
      error: { reason_code: 'tool_failed', message: expect.stringContaining('character') },
    })
    expect(steps[3]).toMatchObject({ attempts: 0, started_at: null, ended_at: null, error: null })
  })

  test('a gate that was rejected has failed', async () => {
    const id = await bench.create(planned([gate('ask'), agent('last')]))
    await bench.waits(id)
    await bench.signal(id, 'reject')
    await bench.ended(id)
    expect(await statesOf(id)).toEqual([
      ['ask', 'gate', 'failed'],
      ['last', 'agent', 'skipped'],
    ])
  })

  test('a gate that was not answered before the run ended has failed, with that reason', async () => {
    const id = await bench.create(planned([tool('first', 'note'), gate('ask'), gate('again')]))
    await bench.waits(id)
    await bench.command(id, 'cancel')
    await bench.ended(id)
    const [, ask, again] = await stepsOf(id)
    expect(ask).toMatchObject({ state: 'failed', attempts: 1, error: { reason_code: 'cancelled', message: null } })
    expect(ask?.started_at).toEqual(expect.any(String))
    expect(again).toMatchObject({ state: 'skipped', attempts: 0, started_at: null, error: null })
  })

  test('a step that waits for its approval has not begun', async () => {
    const id = await bench.create(planned([agent('pay', { approval: 'required' })]))
    await bench.waits(id)
    expect(await stepsOf(id)).toMatchObject([{ id: 'pay', state: 'waiting', attempts: 0, started_at: null }])
  })

  test('a step that was cut by a cancel has failed, with that reason', async () => {
    const id = await bench.create(planned([tool('send', 'cut'), agent('last')]))
    await cut.called(id)
    await bench.acme.post(`/v1/runs/${id}/cancel`, {})
    await bench.ended(id)
    const steps = await stepsOf(id)
    cut.release()
    expect(steps).toMatchObject([
      { state: 'failed', error: { reason_code: 'cancelled', message: null } },
      { state: 'skipped' },
    ])
  })

  test('a run that is queued has all of them pending', async () => {
    const id = await bench.create(planned([agent('a'), gate('b')], [], { run_class: 'long' }))
    const [a, b] = await stepsOf(id)
    expect([a?.id, b?.id]).toEqual(['a', 'b'])
    await bench.waits(id)
  })
})

describe('other runs', () => {
  test('one without a plan has numbered steps', async () => {
    const { id } = await bench.play(scripted([{ say: 'one' }, { say: 'two' }]))
    expect(await statesOf(id)).toEqual([
      ['#0', 'agent', 'succeeded'],
      ['#1', 'agent', 'succeeded'],
    ])
  })

  test('one that the planner planned has its steps, too; what another plan drops was skipped', async () => {
    const steps = [{ say: 'a' }, thenStep('replan', { say: 'b' }), { say: 'c' }]
    const { id } = await bench.play(scripted(steps, { routing_hint: 'require_planning' }))
    const found = await statesOf(id)
    expect(found.map(([, kind, state]) => `${kind} ${state}`)).toEqual([
      ...['planner succeeded', 'agent succeeded', 'agent succeeded', 'agent skipped'],
      ...['planner succeeded', 'agent succeeded'],
    ])
  })

  test('a fork shows the steps that it keeps, and its own', async () => {
    const { id } = await bench.play(planned([tool('a', 'note'), tool('b', 'note')]))
    const reply = await bench.acme.post(`/v1/runs/${id}/fork`, { from_step: 'a' }, { 'idempotency-key': 'fork-steps' })
    const { id: fork } = reply.json<{ id: string }>()
    await bench.ended(fork)
    const steps = await stepsOf(fork)
    expect(steps.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ])
    expect(steps.map(({ output }) => output)).toEqual([{ n: 1 }, { n: 1 }])
  })

  test('a gate that a fork keeps has succeeded, with its answer', async () => {
    const id = await bench.create(planned([gate('ask'), tool('a', 'note'), gate('again')]))
    await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload: { note: 'gently' } })
    await bench.waits(id, 2)
    const reply = await bench.acme.post(`/v1/runs/${id}/fork`, { from_step: 'a' }, { 'idempotency-key': 'fork-gate' })
    const { id: fork } = reply.json<{ id: string }>()
    await bench.waits(fork)
    const steps = await stepsOf(fork)
    expect(steps.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'waiting'])
    expect(steps[0]).toMatchObject({ output: { note: 'gently' }, started_at: null, ended_at: null })
  })

  test('a run that was trimmed still has its steps and their texts', async () => {
    const { id } = await bench.play(scripted([{ say: 'one' }, { say: 'two' }]))
    const { database } = bench.service
    await database.query({
      text: `delete from journal where run_id = $1 and key ~ '^(done|fail|reply|next|call|stop)'`,
      values: [fromWireId('run', id)],
    })
    const steps = await stepsOf(id)
    expect(steps.map(({ id: step, state, content }) => [step, state, content])).toEqual([
      ['#0', 'succeeded', 'one'],
      ['#1', 'succeeded', 'two'],
    ])
  })
})

test('tagged values are masked in the answers to gates', async () => {
  const id = await bench.create({
    ...planned([gate('ask'), tool('send', 'note')], [], { input: { card: '4111-1111' } }),
    sensitivity_tags: [{ path: '$.input.card', classification: 'pii' }],
  })
  await bench.waits(id)
  await bench.signal(id, 'submit_input', { payload: { card: '4111-1111' } })
  await bench.ended(id)
  expect(JSON.stringify(await stepsOf(id))).not.toContain('4111-1111')
})

test('large texts are left out, the oldest first', async () => {
  const big = 'x'.repeat(maxStepBytes / 8)
  const plan = Array.from({ length: 12 }, (_, n) => tool(`s${n}`, 'note', { input: { big: '{{input.big}}' } }))
  const { id } = await bench.play(planned(plan, [], { input: { big } }))
  const steps = await stepsOf(id)
  expect([steps.at(-1)?.content, steps.at(-1)?.output]).toEqual([JSON.stringify({ big }), { big }])
  const note = /^\([\d,]+ bytes left out\)…$/
  expect([steps[0]?.content, steps[0]?.output]).toEqual([expect.stringMatching(note), expect.stringMatching(note)])
  expect(JSON.stringify(steps).length).toBeLessThan(2.5 * maxStepBytes)
})

test('lists have them, too, and `output` is the result alone', async () => {
  const { id } = await bench.play(planned([tool('a', 'note')], [], { workspace_id: 'steps in lists' }))
  expect(await bench.include(id, 'output')).toEqual({ n: 1 })
  const reply = await bench.acme.get('/v1/runs?workspace_id=steps%20in%20lists&include=steps,output')
  const [listed] = reply.json<RunList>().runs
  expect(listed?.steps).toEqual(await stepsOf(id))
  expect(listed?.output).toEqual({ n: 1 })
  const waiting = await bench.create(planned([gate('ask')]))
  expect(await bench.include(waiting, 'output')).toBeNull()
  await bench.waits(waiting)
})

test('another customer sees nothing', async () => {
  const { id } = await bench.play(planned([tool('a', 'note')]))
  expect((await bench.other.get(`/v1/runs/${id}?include=steps`)).status).toBe(404)
})
