import type { RunEvent } from '@runwright/client'
import { describe, expect, test } from 'vitest'
import { callsOf } from './story.ts'
import { StoryTeller } from './story-teller.ts'

const request_id = 'req_1'
const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 9, 0, second)).toISOString()
const task = (stepId: string) => `task_${stepId}`

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
    expect(step?.attempts).toEqual([{ notBefore: at(0), endedAt: at(3) }])
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
      attempts: [{ endedAt: at(2) }, { notBefore: at(2), endedAt: undefined }],
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

describe('a call whose result never came', () => {
  const begins = (second: number, tool_call_id: string): Told => [
    second,
    'step.progress',
    { task_id: task('a'), kind: 'tool_call_start', tool_call_id, tool_name: 'pay' },
  ]
  const stalled: Told = [3, 'run.worker.stalled', { reason_code: 'heartbeat_lost' }]
  const resumed: Told = [4, 'run.resumed', {}]

  test.each<Told>([
    stalled,
    [3, 'run.cancelled', { reason_code: 'user_requested' }],
    [3, 'run.worker.failed', { reason_code: 'tool_failed' }],
    [3, 'run.limit_exceeded', { limitType: 'tokens' }],
    done(3, 'a', { outcome: 'retry_step', reason_code: 'provider_error' }),
  ])('has an outcome that is not known after %s %s', (...end) => {
    const [step] = tell(started, begins(1, 'c1'), begins(2, 'c2'), invoked(2, 'c1'), end).steps
    expect(step?.calls.map(({ state }) => state)).toEqual(['succeeded', 'unknown'])
    expect(step?.attempts).toEqual([{ notBefore: at(0), endedAt: at(3) }])
  })

  test('has the outcome that comes later, and is told once', () => {
    const [step] = tell(started, begins(1, 'c1'), stalled, resumed, says(5, 'a', 'Again'), invoked(6, 'c1')).steps
    expect(step && callsOf(step).map(({ id, state }) => [id, state])).toEqual([['c1', 'succeeded']])
    const [waiting] = tell(started, begins(1, 'c1'), stalled, resumed, invoked(6, 'c1')).steps
    expect(waiting?.calls.map(({ id, state }) => [id, state])).toEqual([['c1', 'succeeded']])
  })
})

test('what ran when a run failed begins again after a retry', () => {
  const failed: Told = [2, 'run.worker.failed', { reason_code: 'tool_failed' }]
  const again: Told = [3, 'run.worker.retry_scheduled', {}]
  const [step] = tell(started, says(1, 'a', 'Half'), failed, again, says(4, 'a', 'The whole')).steps
  expect(step).toMatchObject({ text: 'The whole', attempts: [{ endedAt: at(2), left: { text: 'Half' } }, {}] })
})

test('pieces of text are no news about the run', () => {
  expect(tell(started, says(1, 'a', 'x')).newsSeq).toBe(1)
  expect(tell(started, says(1, 'a', 'x'), done(2, 'a')).newsSeq).toBe(3)
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

test('100,000 events become two texts', () => {
  const teller = new StoryTeller()
  const events = eventsOf([started, ...Array.from({ length: 100_000 }, (_, n) => says(1, n % 2 ? 'a' : 'b', 'word '))])
  for (const event of events) teller.add(event)
  expect(teller.story().steps.map(({ text }) => text.length)).toEqual([250_000, 250_000])
})
