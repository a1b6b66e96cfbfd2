// Plan v2: agent and tool steps, what depends on what, steps side by side, and a plan that is dropped halfway.
import type { Event, PlanStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Bench, ofType, outline, planned, startBench, thenStep } from '../support/engine.ts'

vi.setConfig({ maxConcurrency: 20 })

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const contents = (events: Event[]) => ofType(events, 'step.done').map(({ content }) => content)
const calc = (id: string, expression: string, more: object = {}): PlanStep => ({
  id,
  tool: 'calculator',
  input: { expression },
  ...more,
})
const agent = (id: string, more: object = {}): PlanStep => ({ id, instruction: `Do ${id}.`, ...more })
const wait = (id: string, seconds: number, more: object = {}): PlanStep => ({
  id,
  tool: 'wait',
  input: { seconds },
  ...more,
})

/** When each call began and ended, as its events say. */
const spans = (events: Event[]) => {
  const at = (kind: string) =>
    events.filter(({ payload }) => payload.value.kind === kind).map(({ timestamp }) => Date.parse(timestamp))
  return { starts: at('tool_call_start'), ends: at('tool_call_done') }
}

describe.concurrent('a tool step', () => {
  test('is a call without a model: no tokens, its output as JSON is its content', async () => {
    const { id, events } = await bench.play(planned([calc('sum', '2+3')]))
    expect(outline(events)).toEqual([
      'created',
      'started',
      'tool_call_start calculator',
      'tool_call_done calculator',
      'invoked calculator succeeded',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    expect(contents(events)).toEqual(['{"result":5}'])
    expect(await bench.include(id, 'usage')).toEqual({ tokens: 0, steps: 1, tool_calls: 1 })
    const value = { content: '{"result":5}', output: { result: 5 } }
    expect((await bench.acme.run(id)).event_payload).toEqual({ redacted: false, value })
  })

  test('that fails uses its attempts, then fails the run with tool_failed', async () => {
    const { id, events } = await bench.play(planned([calc('sum', '2 +')]))
    const call = ['tool_call_start calculator', 'tool_call_done calculator', 'invoked calculator failed']
    const again = [...call, 'step.done retry_step', 'judge continue retry_step']
    const last = [...call, 'step.done fail_run', 'judge stop step_failed', 'failed tool_failed']
    expect(outline(events)).toEqual(['created', 'started', ...again, ...again, ...last])
    expect(ofType(events, 'step.done').at(-1)).toMatchObject({ outcome: 'fail_run', reason_code: 'tool_failed' })
    expect(await bench.include(id, 'failure')).toMatchObject({
      reason_code: 'tool_failed',
      message: expect.stringContaining('character'),
    })
  })

  test('has a new call for each attempt, and one task_id over all of them', async () => {
    const { events } = await bench.play(planned([calc('sum', '2 +', { max_attempts: 2 })]))
    expect(new Set(ofType(events, 'run.tool.invoked').map(({ tool_call_id }) => tool_call_id)).size).toBe(2)
    expect(new Set(ofType(events, 'step.done').map(({ task_id }) => task_id)).size).toBe(1)
  })
})

describe.concurrent('steps', () => {
  test('follow one another unless they say otherwise', async () => {
    const plan = [agent('a'), calc('b', '1'), agent('c')]
    const { events } = await bench.play(planned(plan, [{ say: 'first' }, { say: 'second' }]))
    expect(contents(events)).toEqual(['first', '{"result":1}', 'second'])
    expect(outline(events).filter((word) => word.startsWith('judge'))).toEqual([
      'judge continue step_done',
      'judge continue step_done',
      'judge stop all_done',
    ])
  })

  test('the i-th agent step plays the i-th entry: tool steps and gates do not count', async () => {
    const plan = [calc('a', '1'), { id: 'g', await_input: {} }, agent('b'), calc('c', '2'), agent('d'), agent('e')]
    const id = await bench.create(planned(plan, [{ say: 'first' }, { say: 'second' }]))
    await bench.waits(id)
    await bench.signal(id, 'approve')
    const said = contents(await bench.ended(id))
    expect(said.slice(0, 4)).toEqual(['{"result":1}', 'first', '{"result":2}', 'second'])
    expect(String(said[4])).toMatch(/sandbox/i)
  })

  test('run side by side when nothing is between them: tools', async () => {
    const { events } = await bench.play(planned([wait('a', 0.3), wait('b', 0.3, { depends_on: [] })]))
    const { starts, ends } = spans(events)
    expect(Math.max(...starts)).toBeLessThan(Math.min(...ends))
  })

  test('run side by side when nothing is between them: models', async () => {
    const plan = ['a', 'b', 'c'].map((id) => agent(id, { depends_on: [] }))
    const { events } = await bench.play(planned(plan, [{ delay_ms: 400 }, { delay_ms: 400 }, { delay_ms: 400 }]))
    const took = Date.parse(events.at(-1)?.timestamp ?? '') - Date.parse(events[1]?.timestamp ?? '')
    expect(took).toBeGreaterThanOrEqual(395)
    expect(took).toBeLessThan(800)
  })

  test('wait for all that they depend on', async () => {
    const plan = [
      wait('a', 0.2, { depends_on: [] }),
      wait('b', 0.05, { depends_on: [] }),
      calc('join', '7', { depends_on: ['b', 'a'] }),
      calc('early', '8', { depends_on: ['b'] }),
    ]
    const { events } = await bench.play(planned(plan))
    expect(contents(events)).toEqual(['{"seconds":0.05}', '{"result":8}', '{"seconds":0.2}', '{"result":7}'])
  })

  test('may stand in the plan before what they depend on', async () => {
    const plan = [calc('late', '2', { depends_on: ['soon'] }), calc('soon', '1', { depends_on: [] })]
    expect(contents((await bench.play(planned(plan))).events)).toEqual(['{"result":1}', '{"result":2}'])
  })

  test('that end at one moment do not interleave: each step.done has its decision behind it', async () => {
    const plan = Array.from({ length: 12 }, (_, n) => agent(`s${n}`, { depends_on: [] }))
    const { events } = await bench.play(
      planned(
        plan,
        Array.from({ length: 12 }, () => ({ delay_ms: 60 })),
      ),
    )
    const after = events.flatMap(({ type }, n) => (type === 'step.done' ? [events[n + 1]?.type] : []))
    expect(after).toEqual(Array.from({ length: 12 }, () => 'run.coordination.decision'))
    expect(outline(events).filter((word) => word === 'judge stop all_done')).toHaveLength(1)
  })

  test('the result of a run is that of the step that finished last, not of the last in the plan', async () => {
    const { id } = await bench.play(planned([wait('slow', 0.2), calc('quick', '1', { depends_on: [] })]))
    expect((await bench.acme.run(id)).event_payload.value).toMatchObject({ output: { seconds: 0.2 } })
  })
})

describe.concurrent('a replan in a given plan', () => {
  test('drops what has not started, plans, and goes on with the next entry', async () => {
    const plan = [agent('a'), calc('dropped', '99'), agent('dropped too')]
    const script = [thenStep('replan', { say: 'one' }), { say: 'two' }, { say: 'three' }]
    const { id, events } = await bench.play(planned(plan, script))
    expect(outline(events)).toEqual([
      'created',
      'started',
      'step.done succeeded',
      'judge replan replan_requested',
      'step.done succeeded',
      'planner continue plan_ready',
      'step.done succeeded',
      'judge continue step_done',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    expect(contents(events).filter((_, n) => n !== 1)).toEqual(['one', 'two', 'three'])
    expect(JSON.stringify(await bench.include(id, 'plan'))).not.toContain('dropped')
  })

  test('lets what is executing come to its end', async () => {
    const plan = [agent('a', { depends_on: [] }), wait('b', 0.3, { depends_on: [] }), calc('c', '1')]
    const script = [thenStep('replan', { say: 'one' }), { say: 'two' }]
    const { events } = await bench.play(planned(plan, script))
    const said = contents(events)
    expect(said).toContain('{"seconds":0.3}')
    expect(said).not.toContain('{"result":1}')
    expect(said.at(-1)).toBe('two')
  })
})
