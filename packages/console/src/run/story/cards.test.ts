import type { AwaitingInput, Plan, RunSignal, RunStep } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { cardsOf } from './cards.ts'
import { layOut } from './layers.ts'
import { spanRows } from './spans.ts'
import { emptyStory, type StoryStep } from './story.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 9, 0, second)).toISOString()

const plan: Plan = {
  steps: [
    { id: 'a', depends_on: [], instruction: 'Read one.' },
    { id: 'b', depends_on: [], instruction: 'Read two.' },
    { id: 'c', depends_on: ['a', 'b'], tool: 'calculator' },
    { id: 'ask', await_input: { reason_code: 'order', prompt: 'Order {{steps.c.output}}?' } },
    { id: 'd', instruction: 'Order.' },
  ],
}

const listed = (id: string, kind: RunStep['kind'], more: Partial<RunStep> = {}): RunStep => ({
  id,
  task_id: kind === 'gate' ? null : `task_${id}`,
  kind,
  state: 'pending',
  attempts: 0,
  started_at: null,
  ended_at: null,
  content: null,
  output: null,
  error: null,
  ...more,
})

type Changes = Readonly<Record<string, Partial<RunStep>>>

/** The steps of the plan. */
const stepsOf = (changes: Changes = {}): RunStep[] =>
  (['a', 'b', 'c', 'ask', 'd'] as const).map((id) =>
    listed(id, id === 'ask' ? 'gate' : id === 'c' ? 'tool' : 'agent', changes[id]),
  )

const told = (id: string, more: Partial<StoryStep> = {}): StoryStep => ({
  taskId: `task_${id}`,
  firstSeq: 1,
  lastSeq: 2,
  state: 'running',
  text: '',
  calls: [],
  decisions: [],
  attempts: [{ notBefore: at(0), endedAt: undefined }],
  reasonCode: undefined,
  message: undefined,
  ...more,
})

type Run = Parameters<typeof cardsOf>[0]['run']
const cards = (steps: RunStep[], run: Partial<Run> = {}, ...story: StoryStep[]) =>
  cardsOf({ run: { plan, steps, ...run }, story: { ...emptyStory, steps: story } })

const asked = { reason_code: 'order', tool: null, prompt: 'Order 3?' } as unknown as AwaitingInput

describe('cards', () => {
  test('have the states that the service tells, in the order of the plan, with what the events tell', () => {
    const steps = stepsOf({ a: { state: 'running' }, b: { state: 'succeeded' }, d: { state: 'skipped' } })
    const found = cards(steps, {}, told('b', { text: 'Two.' }))
    expect(found.map(({ title, state, step }) => [title, state, step?.text])).toEqual([
      ['a', 'running', undefined],
      ['b', 'succeeded', 'Two.'],
      ['c', 'pending', undefined],
      ['ask', 'pending', undefined],
      ['d', 'skipped', undefined],
    ])
    expect(found.map(({ task }) => task)).toEqual([
      ...['Read one.', 'Read two.', 'Calls calculator', 'Order {{steps.c.output}}?', 'Order.'],
    ])
  })

  test('a gate shows the question as it was asked, and the answer', () => {
    const waiting = cards(stepsOf({ ask: { state: 'waiting' } }), { awaiting_input: asked })[3]
    expect(waiting).toMatchObject({ state: 'waiting', task: 'Order 3?', signal: undefined })
    const other = { seq: 4, action: 'approve', at: at(4), asked } as unknown as RunSignal
    const signal = { seq: 9, action: 'reject', at: at(9), asked } as unknown as RunSignal
    const steps = stepsOf({ ask: { state: 'failed', ended_at: at(9) } })
    expect(cards(steps, { signals: [other, signal] })[3]).toMatchObject({ state: 'failed', signal: { seq: 9 } })
  })

  test('of a fork, steps without times are kept', () => {
    const steps = stepsOf({ a: { state: 'succeeded' }, b: { state: 'succeeded', ended_at: at(3) } })
    const states = (run: Partial<Run>) => cards(steps, run).map(({ state }) => state)
    expect(states({ forked_from: { run_id: 'run_1', step_id: 'a' } }).slice(0, 2)).toEqual(['kept', 'succeeded'])
    expect(states({}).slice(0, 2)).toEqual(['succeeded', 'succeeded'])
  })

  test('planners, steps of earlier plans and steps without a plan have names', () => {
    const planner = listed('planner', 'planner', { state: 'succeeded' })
    const dropped = listed('look', 'agent', { state: 'skipped' })
    const titles = (steps: RunStep[], run: Partial<Run> = {}) => cards(steps, run).map(({ title }) => title)
    expect(titles([planner, dropped, planner, ...stepsOf()])).toEqual([
      ...['Planner', 'look (earlier plan)', 'Planner, plan 2', 'a', 'b', 'c', 'ask', 'd'],
    ])
    expect(titles([listed('#0', 'agent'), listed('#1', 'agent')], { plan: null })).toEqual(['Step 1', 'Step 2'])
  })

  test('a step that an earlier plan had under the same id has a key of its own', () => {
    const before = listed('a', 'agent', { task_id: 'task_0', state: 'failed' })
    const keys = cards([before, listed('planner', 'planner'), ...stepsOf()]).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.slice(2)).toEqual(['a', 'b', 'c', 'ask', 'd'])
  })

  test('a plan without ids is found by the kinds of its steps', () => {
    const unnamed: Plan = { steps: [{ instruction: 'Read.' }, { tool: 'calculator' }] }
    const steps = [listed('planner', 'planner'), listed('step_1', 'agent'), listed('step_2', 'tool')]
    expect(cards(steps, { plan: unnamed }).map(({ task, dependsOn }) => [task, dependsOn])).toEqual([
      [undefined, []],
      ['Read.', []],
      ['Calls calculator', ['step_1']],
    ])
  })
})

test('the first attempt of a step begins when the service says, later ones after the one before', () => {
  const attempts: StoryStep['attempts'] = [
    { notBefore: at(0), endedAt: at(4) },
    { notBefore: at(4), endedAt: undefined },
  ]
  const steps = stepsOf({ a: { state: 'running', started_at: at(1) }, b: { state: 'running', started_at: at(2) } })
  const rows = spanRows(cards(steps, {}, told('a', { attempts })))
  const second = (n: number) => Date.parse(at(n))
  expect(rows.map(({ card, spans }) => [card.key, spans])).toEqual([
    [
      'a',
      [
        { from: second(1), to: second(4) },
        { from: second(4), to: undefined },
      ],
    ],
    ['b', [{ from: second(2), to: undefined }]],
  ])
})

test('a question has its own time, up to the answer', () => {
  const spans = (ask: Partial<RunStep>) => spanRows(cards(stepsOf({ ask }))).flatMap((row) => row.spans)
  const from = Date.parse(at(4))
  expect(spans({ state: 'waiting', started_at: at(4) })).toEqual([{ from, to: undefined }])
  expect(spans({ state: 'succeeded', started_at: at(4), ended_at: at(9) })).toEqual([{ from, to: Date.parse(at(9)) }])
})

test('the graph puts a step one column after what it depends on', () => {
  const { placed, edges, columns, rows } = layOut(cards(stepsOf()))
  expect(placed.map(({ card, column, row }) => [card.key, column, row])).toEqual([
    ['a', 0, 0],
    ['b', 0, 1],
    ['c', 1, 0],
    ['ask', 2, 0],
    ['d', 3, 0],
  ])
  expect(edges.map(({ from, to }) => `${from.card.key}-${to.card.key}`)).toEqual(['a-c', 'b-c', 'c-ask', 'ask-d'])
  expect([columns, rows]).toEqual([4, 2])
})
