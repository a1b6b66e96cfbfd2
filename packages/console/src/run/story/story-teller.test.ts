import type { RunEvent } from '@runwright/client'
import type { Plan } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { cardsOf, TaskNames } from './cards.ts'
import { layOut } from './layers.ts'
import { spanRows } from './spans.ts'
import { StoryTeller } from './story-teller.ts'
import { taskIdOf } from './task-id.ts'

const runId = 'run_01m7kepdbfe00aea6f16cd3ycd'
const request_id = 'req_1'
const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 9, 0, second)).toISOString()
const taskIds = new Map<string, string>()
const task = (stepId: string, generation = 0) => {
  const key = `${generation}/${stepId}`
  const id = taskIds.get(key) ?? taskIdOf(runId, generation, stepId)
  taskIds.set(key, id)
  return id
}

type Told = readonly [second: number, type: RunEvent['type'], value: object]

const eventsOf = (told: readonly Told[]): RunEvent[] =>
  told.map(([second, type, value], index) => {
    const event = { seq: index + 1, type, timestamp: at(second), payload: { redacted: false, value } }
    return event as unknown as RunEvent
  })

const tell = (...told: Told[]) => {
  const teller = new StoryTeller()
  for (const event of eventsOf(told)) teller.add(event)
  return teller.story()
}

const started: Told = [0, 'run.worker.started', { from_status: 'queued', to_status: 'running', reason_code: null }]
const says = (second: number, stepId: string, content_delta: string): Told => [
  second,
  'step.progress',
  { task_id: task(stepId), kind: 'content_delta', content_delta },
]
const done = (second: number, stepId: string, more: object = {}): Told => [
  second,
  'step.done',
  { task_id: task(stepId), content: `All of ${stepId}.`, outcome: 'succeeded', ...more },
]
const judged = (second: number, more: object = {}): Told => [
  second,
  'run.coordination.decision',
  { request_id, role: 'judge', decision_type: 'continue', reason_code: 'step_done', ...more },
]
const summary = { schema_version: 'v1', preview: null, highlights: [], stats: {}, truncated: false }
const invoked = (second: number, tool_call_id: string, more: object = {}): Told => [
  second,
  'run.tool.invoked',
  {
    tool_call_id,
    tool_name: 'calculator',
    tool_outcome: 'succeeded',
    tool_input_summary: summary,
    tool_output_summary: summary,
    policy_reason_code: null,
    duration_ms: 1500,
    ...more,
  },
]

describe('steps', () => {
  test('texts of parallel steps do not mix', () => {
    const story = tell(started, says(1, 'a', 'One '), says(1, 'b', 'Uno '), says(2, 'a', 'two'), says(2, 'b', 'due'))
    expect(story.steps.map(({ text, state }) => [text, state])).toEqual([
      ['One two', 'running'],
      ['Uno due', 'running'],
    ])
  })

  test('the whole text replaces the streamed one', () => {
    const [step] = tell(started, says(1, 'a', 'Half'), done(3, 'a')).steps
    expect(step).toMatchObject({ text: 'All of a.', state: 'succeeded' })
    expect(step?.attempts).toEqual([{ notBefore: at(0), firstAt: at(1), endedAt: at(3) }])
  })

  test('a second attempt starts with an empty text, and both are kept', () => {
    const failure = {
      outcome: 'retry_step',
      content: '',
      reason_code: 'provider_error',
      provider_error_message: 'Busy.',
    }
    const story = tell(started, says(1, 'a', 'Half'), done(2, 'a', failure), says(3, 'a', 'Again'))
    expect(story.steps).toHaveLength(1)
    expect(story.steps[0]).toMatchObject({
      state: 'running',
      text: 'Again',
      attempts: [{ endedAt: at(2) }, { firstAt: at(3) }],
    })
  })

  test('a call belongs to the step that began it', () => {
    const begin: Told = [
      1,
      'step.progress',
      { task_id: task('a'), kind: 'tool_call_start', tool_call_id: 'c1', tool_name: 'calculator' },
    ]
    const story = tell(started, begin, says(1, 'b', 'Beside'), invoked(2, 'c1', { tool_outcome: 'failed' }))
    expect(story.steps.map(({ calls }) => calls.map(({ state, durationMs }) => [state, durationMs]))).toEqual([
      [['failed', 1500]],
      [],
    ])
  })

  test('a decision belongs to the step that just ended; others stand alone', () => {
    const words = { judge_decision: { decision: 'continue', reason: 'Looks right.' } }
    const story = tell(
      started,
      done(1, 'a'),
      judged(1, words),
      says(2, 'b', 'x'),
      judged(3, { reason_code: 'provider_retry' }),
    )
    expect(story.steps[0]?.decisions).toMatchObject([{ reasonCode: 'step_done', words: 'Looks right.' }])
    expect(story.decisions).toMatchObject([{ reasonCode: 'provider_retry' }])
  })

  test('a step that does not change keeps its object', () => {
    const teller = new StoryTeller()
    const events = eventsOf([started, says(1, 'a', 'x'), says(1, 'b', 'y'), says(2, 'b', 'z')])
    for (const event of events.slice(0, 3)) teller.add(event)
    const before = teller.story()
    teller.add(events[3] as RunEvent)
    expect(teller.story().steps[0]).toBe(before.steps[0])
    expect(teller.story().steps[1]).not.toBe(before.steps[1])
  })
})

test('pieces of text are no news about the run', () => {
  expect(tell(started, says(1, 'a', 'x')).newsSeq).toBe(1)
  expect(tell(started, says(1, 'a', 'x'), done(2, 'a')).newsSeq).toBe(3)
})

test('a wait lasts until its answer', () => {
  const wait: Told = [5, 'run.awaiting_input', { request_id, reason_code: 'input_required' }]
  const answer: Told = [9, 'run.signal_applied', { request_id, action: 'approve' }]
  expect(tell(started, wait).waits).toEqual([{ seq: 2, from: at(5), to: undefined }])
  expect(tell(started, wait, answer).waits).toEqual([{ seq: 2, from: at(5), to: at(9) }])
})

test('a retry goes on with a run that had ended', () => {
  const failed: Told = [
    2,
    'run.worker.failed',
    { from_status: 'running', to_status: 'failed', reason_code: 'tool_failed' },
  ]
  const again: Told = [
    3,
    'run.worker.retry_scheduled',
    { from_status: 'failed', to_status: 'queued', reason_code: null },
  ]
  expect(tell(started, failed).endedAt).toBe(at(2))
  expect(tell(started, failed, again).endedAt).toBeUndefined()
})

const plan: Plan = {
  steps: [
    { id: 'a', depends_on: [], instruction: 'Read one.' },
    { id: 'b', depends_on: [], instruction: 'Read two.' },
    { id: 'c', depends_on: ['a', 'b'], tool: 'calculator' },
    { id: 'ask', await_input: { reason_code: 'order', prompt: 'Order {{steps.c.output}}?' } },
    { id: 'd', instruction: 'Order.' },
  ],
}
const names = new TaskNames(runId, plan)
const cards = (story: ReturnType<typeof tell>, run: object = {}) =>
  cardsOf({ run: { status: 'running', plan, awaiting_input: null, signals: [], ...run }, story, names })

describe('cards', () => {
  test('stand in the order of the plan, also before they begin', () => {
    const story = tell(started, says(1, 'b', 'x'), done(2, 'b'), says(3, 'a', 'y'))
    expect(cards(story).map(({ title, state }) => [title, state])).toEqual([
      ['a', 'running'],
      ['b', 'succeeded'],
      ['c', 'pending'],
      ['ask', 'pending'],
      ['d', 'pending'],
    ])
  })

  test('of a run that has ended, unfinished ones have stopped or are skipped', () => {
    const story = tell(started, says(1, 'a', 'x'))
    expect(
      cards(story, { status: 'cancelled' })
        .map(({ state }) => state)
        .slice(0, 3),
    ).toEqual(['stopped', 'skipped', 'skipped'])
  })

  test('a gate waits with the question as it was asked, and shows the answer', () => {
    const asked = { reason_code: 'order', tool: null, prompt: 'Order 3?' }
    const waiting = cards(tell(started), { awaiting_input: asked })[3]
    expect(waiting).toMatchObject({ state: 'waiting', task: 'Order 3?' })
    const answered = cards(tell(started), { signals: [{ seq: 9, action: 'reject', asked }] })[3]
    expect(answered).toMatchObject({ state: 'failed', signal: { seq: 9 } })
  })

  test('of a fork, the last kept step and those before it are kept, and an answer is that of a later gate', () => {
    const forked_from = { run_id: 'run_1', step_id: 'c' }
    const statesOf = (run: object) => cards(tell(started), { forked_from, ...run }).map(({ state }) => state)
    expect(statesOf({})).toEqual(['kept', 'kept', 'kept', 'pending', 'pending'])
    const asked = { reason_code: 'order', tool: null, prompt: 'Order 3?' }
    const twoGates = { steps: [{ id: 'first', await_input: { reason_code: 'order' } }, ...plan.steps.slice(3)] }
    const after = { plan: twoGates, forked_from: { run_id: 'run_1', step_id: 'first' }, awaiting_input: asked }
    expect(statesOf(after)).toEqual(['kept', 'waiting', 'pending'])
  })

  test('the planner and steps without a plan have names', () => {
    const story = tell(
      started,
      [1, 'step.done', { task_id: task('planner', 1), content: '', outcome: 'succeeded' }],
      [2, 'step.done', { task_id: task('#1', 1), content: 'x', outcome: 'succeeded' }],
    )
    const titles = cardsOf({ run: { status: 'running', plan: null }, story, names }).map(({ title }) => title)
    expect(titles).toEqual(['Planner', 'Step 2'])
  })
})

test('the time of a step begins when the steps before it have ended', () => {
  const story = tell(started, says(2, 'a', 'x'), done(4, 'a'), says(5, 'b', 'y'), done(6, 'b'), done(8, 'c'))
  const rows = spanRows(cards(story), story)
  const seconds = rows.map(({ card, spans }) => [card.key, ...spans.flatMap(({ from, to = 0 }) => [from, to])])
  const second = (n: number) => Date.parse(at(n))
  expect(seconds).toEqual([
    ['a', second(0), second(4)],
    ['b', second(0), second(6)],
    ['c', second(6), second(8)],
  ])
})

test('a wait for a person has its own time, up to the answer', () => {
  const asks: Parameters<typeof tell>[0] = [4, 'run.awaiting_input', { reason_code: 'order' }]
  const asked = { reason_code: 'order', tool: null, prompt: null }
  const waitOf = (story: ReturnType<typeof tell>, run: object) =>
    spanRows(cards(story, run), story).flatMap(({ card, spans }) => (card.key === 'ask' ? spans : []))
  const from = Date.parse(at(4))
  expect(waitOf(tell(started, asks), { awaiting_input: asked })).toEqual([{ from, to: undefined }])
  const answered = tell(started, asks, [9, 'run.signal_applied', { action: 'approve' }])
  expect(waitOf(answered, { signals: [{ seq: 3, action: 'approve', asked }] })).toEqual([
    { from, to: Date.parse(at(9)) },
  ])
})

test('the graph puts a step one column after what it depends on', () => {
  const { placed, edges, columns, rows } = layOut(cards(tell(started)))
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

test('100,000 events become two texts', () => {
  const teller = new StoryTeller()
  const events = eventsOf([started, ...Array.from({ length: 100_000 }, (_, n) => says(1, n % 2 ? 'a' : 'b', 'word '))])
  for (const event of events) teller.add(event)
  expect(teller.story().steps.map(({ text }) => text.length)).toEqual([250_000, 250_000])
})
