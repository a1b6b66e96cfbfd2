// The sandbox model's script: planning, what the judge decides, and how streaming shows it.
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const play = async (body: object) => outline((await bench.play(body)).events)
const contents = (events: Event[]) => ofType(events, 'step.done').map(({ content }) => content)
const taskIds = (events: Event[]) => ofType(events, 'step.done').map(({ task_id }) => task_id)
const plan = { routing_hint: 'require_planning' }

const begin = ['created', 'started']
const planStep = ['step.done succeeded', 'planner continue plan_ready']
const step = ['step.done succeeded', 'judge continue step_done']
const lastStep = ['step.done succeeded', 'judge stop all_done', 'succeeded']

describe('planning', () => {
  test.each([
    [1, [...begin, ...planStep, ...lastStep]],
    [3, [...begin, ...planStep, ...step, ...step, ...lastStep]],
  ])('makes as many steps as the script has: %i', async (count, course) => {
    const steps = Array.from({ length: count }, (_, n) => ({ say: `step ${n}` }))
    const { id, events } = await bench.play(scripted(steps, plan))
    expect(outline(events)).toEqual(course)
    expect(contents(events).slice(1)).toEqual(steps.map(({ say }) => say))
    expect((await bench.include<{ steps: object[] }>(id, 'plan')).steps).toHaveLength(count)
  })

  test('is left out with skip_planning: the first step is a worker step', async () => {
    const { id, events } = await bench.play(scripted([{ say: 'a' }, { say: 'b' }]))
    expect(outline(events)).toEqual([...begin, ...step, ...lastStep])
    expect(contents(events)).toEqual(['a', 'b'])
    expect(await bench.include(id, 'plan')).toBeNull()
  })

  test.each([
    ['nothing', {}],
    ['a question', { question: 'What is two and two?' }],
    ['a task', { task: 'Compare the three offers, write a summary of each, and then recommend one of them.' }],
  ])('of an input with %s is decided by a heuristic, and done as it says', async (_case, input) => {
    const { events } = await bench.play({ input, metadata: {} })
    const [created] = ofType(events, 'run.created')
    const routing = created?.routing as { first_role: string; decided_by: string }
    expect(routing).toMatchObject({ decided_by: 'heuristic', first_role: expect.stringMatching(/^(planner|worker)$/) })
    const [first] = ofType(events, 'run.coordination.decision')
    expect(first?.role).toBe(routing.first_role === 'planner' ? 'planner' : 'judge')
  })

  test('is not done with a plan, which echoes the hint and routes to the worker', async () => {
    const { events } = await bench.play(
      planned([{ instruction: 'x' }], [{ say: 'a' }], { routing_hint: 'require_planning' }),
    )
    const [created] = ofType(events, 'run.created')
    const routing = { first_role: 'worker', decided_by: 'plan' }
    expect(created).toMatchObject({ routing_hint: 'require_planning', routing })
    expect(outline(events)).toEqual([...begin, ...lastStep])
  })
})

describe('without a script', () => {
  test('it plans two steps, calls a tool and finishes', async () => {
    const { id, events } = await bench.play({ input: { task: 'anything' }, metadata: {}, ...plan })
    expect(ofType(events, 'step.done')).toHaveLength(3)
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(1)
    expect(outline(events).slice(0, 4)).toEqual([...begin, ...planStep])
    expect(outline(events).slice(-3)).toEqual(lastStep)
    expect((await bench.include<{ steps: object[] }>(id, 'plan')).steps).toHaveLength(2)
  })

  test('and without planning it finishes too', async () => {
    const course = await play({ input: {}, metadata: {}, routing_hint: 'skip_planning' })
    expect(course.slice(-3)).toEqual(lastStep)
  })
})

describe('after a step the judge', () => {
  test('stops when the script says so; what comes after it is not played', async () => {
    const { id, events } = await bench.play(scripted([thenStep('stop', { say: 'a', output: [1] }), { say: 'b' }]))
    expect(outline(events)).toEqual([...begin, ...lastStep])
    expect((await bench.acme.run(id)).event_payload).toEqual({ redacted: false, value: { content: 'a', output: [1] } })
  })

  test('stops in the midst of its own plan when the script says so, and skips the rest', async () => {
    const skipped = ['step.done succeeded', 'judge stop steps_skipped', 'succeeded']
    expect(await play(scripted([thenStep('stop'), {}, {}], plan))).toEqual([...begin, ...planStep, ...skipped])
  })

  test('fails the run when the script says that the goal is not reached', async () => {
    const script = [thenStep('stop', { goal_reached: false }), {}]
    const failed = ['step.done fail_run', 'judge stop goal_not_reached', 'failed goal_not_reached']
    expect(await play(scripted(script))).toEqual([...begin, ...failed])
    expect(await play(scripted(script, plan))).toEqual([...begin, ...planStep, ...failed])
  })

  test('stops after the last step though the script says continue', async () => {
    expect(await play(scripted([{}, thenStep('continue')]))).toEqual([...begin, ...step, ...lastStep])
    const course = await play(scripted([{}, thenStep('continue')], plan))
    expect(course).toEqual([...begin, ...planStep, ...step, ...lastStep])
  })

  test.each([
    ['skip_planning', []],
    ['require_planning', planStep],
  ])('replans, after %s, and goes on with the next entry', async (routing_hint, first) => {
    const steps = [{ say: 'a' }, thenStep('replan', { say: 'b' }), { say: 'c' }, { say: 'd' }]
    const { id, events } = await bench.play(scripted(steps, { routing_hint }))
    const replan = ['step.done succeeded', 'judge replan replan_requested']
    expect(outline(events)).toEqual([...begin, ...first, ...step, ...replan, ...planStep, ...step, ...lastStep])
    expect(contents(events).filter((content) => String(content).length === 1)).toEqual(['a', 'b', 'c', 'd'])
    expect(new Set(taskIds(events)).size).toBe(taskIds(events).length)
    expect((await bench.include<{ steps: object[] }>(id, 'plan')).steps).toHaveLength(2)
  })

  test('can replan more than once', async () => {
    const { events } = await bench.play(scripted([thenStep('replan'), thenStep('replan'), { say: 'c' }], plan))
    expect(ofType(events, 'run.coordination.decision').map(({ decision_type }) => decision_type)).toEqual([
      'continue',
      'replan',
      'continue',
      'replan',
      'continue',
      'stop',
    ])
    expect(contents(events).at(-1)).toBe('c')
  })

  test.each([['skip_planning'], ['require_planning']])(
    'asks a person after the last step of %s, then stops',
    async (hint) => {
      const id = await bench.create(
        scripted([{ say: 'a' }, thenStep('await_input', { say: 'b' })], { routing_hint: hint }),
      )
      const seq = await bench.waits(id)
      await bench.signal(id, 'approve')
      const events = await bench.ended(id)
      expect(outline(events.slice(seq))).toEqual(['signal approve', 'judge stop all_done', 'succeeded'])
      expect((await bench.acme.run(id)).event_payload.value).toEqual({ content: 'b', output: null })
    },
  )

  test('asks for input between two steps of a plan', async () => {
    const id = await bench.create(scripted([thenStep('await_input'), { say: 'b' }], plan))
    const seq = await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload: { a: 1 } })
    expect(outline((await bench.ended(id)).slice(seq))).toEqual(['signal submit_input', ...lastStep])
  })
})

describe('what a step says', () => {
  const words = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ')

  test('is streamed as deltas that add up to it, at most one in 50 ms', async () => {
    const { events } = await bench.play(scripted([{ say: words, chunk_ms: 6 }]))
    const deltas = events.filter(({ payload }) => payload.value.kind === 'content_delta')
    expect(deltas.map(({ payload }) => payload.value.content_delta).join('')).toBe(words)
    expect(contents(events)).toEqual([words])
    expect(deltas.length).toBeGreaterThan(2)
    const times = deltas.slice(0, -1).map(({ timestamp }) => Date.parse(timestamp))
    const gaps = times.slice(1).map((time, n) => time - (times[n] as number))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40)
  })

  test('comes through whole, however long and whatever it is written in', async () => {
    const say = '😀 naïve 漢字 "quoted" \\ \n'.repeat(4_000)
    const { events } = await bench.play(scripted([{ say }]))
    expect(contents(events)).toEqual([say])
    const deltas = ofType(events, 'step.progress').map(({ content_delta }) => content_delta)
    expect(deltas.join('')).toBe(say)
  })

  test('is not streamed with streaming: false; tools still show', async () => {
    const tools = [{ name: 'current_time' }]
    const { events } = await bench.play(scripted([{ say: words, chunk_ms: 2, tools }], { streaming: false }))
    expect(ofType(events, 'step.progress').map(({ kind }) => kind)).toEqual(['tool_call_start', 'tool_call_done'])
    expect(contents(events)).toEqual([words])
    expect(ofType(events, 'run.created')).toMatchObject([{ streaming: false }])
  })

  test('belongs to one task_id: deltas, tools and end', async () => {
    const { events } = await bench.play(scripted([{ say: words, chunk_ms: 2, tools: [{ name: 'current_time' }] }]))
    const ids = [...ofType(events, 'step.progress'), ...ofType(events, 'step.done')].map(({ task_id }) => task_id)
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^task_[0-7][0-9a-hjkmnp-tv-z]{25}$/)))
    expect(new Set(ids).size).toBe(1)
  })

  test('comes after delay_ms', async () => {
    const { events } = await bench.play(scripted([{ delay_ms: 150 }]))
    const [started, ended] = [events[1], events.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''))
    expect((ended ?? 0) - (started ?? 0)).toBeGreaterThanOrEqual(145)
  })

  test.each([
    ['left out', {}, null],
    ['an object', { output: { a: [1, { b: null }] } }, { a: [1, { b: null }] }],
    ['text', { output: 'x' }, 'x'],
    ['zero', { output: 0 }, 0],
    ['false', { output: false }, false],
  ])('has an output that is %s', async (_case, entry, output) => {
    const { id } = await bench.play(scripted([{ say: 'a', ...entry }]))
    expect((await bench.acme.run(id)).event_payload).toEqual({ redacted: false, value: { content: 'a', output } })
  })
})

test.each([
  ['is no object', 'x'],
  ['has an unknown word', { steps: [{ says: 'x' }] }],
  ['decides what no judge can', { steps: [{ [`${'th'}en`]: 'go' }] }],
])('a script that %s is refused', async (_case, sandbox) => {
  expectRefusal(await bench.acme.create({ input: { sandbox }, metadata: {} }), 400, 'INPUT_PAYLOAD_INVALID')
})
