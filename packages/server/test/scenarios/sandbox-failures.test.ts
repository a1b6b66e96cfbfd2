// Failures by script: attempts of a step, retries of a run, and the words that events use for them.
import type { Event, SandboxStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench } from '../support/engine.ts'

vi.setConfig({ maxConcurrency: 20 })

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const failing = (fail: NonNullable<SandboxStep['fail']>) => scripted([{ say: 'a', fail }, { say: 'b' }])
const done = (events: Event[]) => ofType(events, 'step.done')
const retried = ['step.done retry_step', 'judge continue retry_step']
const failed = (reason: string) => ['step.done fail_run', 'judge stop step_failed', `failed ${reason}`]
const step = ['step.done succeeded', 'judge continue step_done']
const lastStep = ['step.done succeeded', 'judge stop all_done', 'succeeded']

describe.concurrent('a failure that is not retryable', () => {
  test('fails the run with the scripted reason and message', async () => {
    const { id, events } = await bench.play(failing({ reason_code: 'model_refused', message: 'no' }))
    expect(outline(events)).toEqual(['created', 'started', ...failed('model_refused')])
    expect(done(events)).toEqual([
      {
        task_id: expect.stringMatching(/^task_/),
        content: '',
        outcome: 'fail_run',
        reason_code: 'model_refused',
        provider_error_message: 'no',
        request_id: expect.any(String),
      },
    ])
    const failure = await bench.include(id, 'failure')
    expect(failure).toEqual({ reason_code: 'model_refused', message: expect.any(String), seq: events.length })
  })

  test('is a provider_error unless the script has another name for it', async () => {
    const { events } = await bench.play(failing({}))
    expect(outline(events)).toEqual(['created', 'started', ...failed('provider_error')])
  })

  test('leaves the run without a result', async () => {
    const { id } = await bench.play(scripted([{ say: 'a' }, { fail: {} }]))
    expect((await bench.acme.run(id)).event_payload).toEqual({ redacted: true, value: null })
  })
})

describe.concurrent('a failure that is retryable', () => {
  test('uses three attempts, the last of which fails the run', async () => {
    const { events } = await bench.play(failing({ retryable: true, reason_code: 'overloaded' }))
    expect(outline(events)).toEqual(['created', 'started', ...retried, ...retried, ...failed('overloaded')])
    expect(new Set(done(events).map(({ task_id }) => task_id)).size).toBe(1)
  })

  test('that passes in time does not fail the run', async () => {
    const { id, events } = await bench.play(failing({ retryable: true, times: 2 }))
    expect(outline(events)).toEqual(['created', 'started', ...retried, ...retried, ...step, ...lastStep])
    expect(new Set(done(events).map(({ task_id }) => task_id)).size).toBe(2)
    expect(await bench.include(id, 'usage')).toMatchObject({ steps: 2 })
  })

  test('is tried again after a pause', async () => {
    const { events } = await bench.play(failing({ retryable: true, times: 1 }))
    const [first, second] = events
      .filter(({ type }) => type === 'step.done')
      .map(({ timestamp }) => Date.parse(timestamp))
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(20)
  })

  test.each([
    [1, []],
    [2, retried],
  ])('has as many attempts as its step says: %i', async (max_attempts, course) => {
    const script = [{ fail: { retryable: true } }]
    const { events } = await bench.play(planned([{ instruction: 'x', max_attempts }], script))
    expect(outline(events)).toEqual(['created', 'started', ...course, ...failed('provider_error')])
  })
})

describe.concurrent('times', () => {
  test('counts over the retries of a run', async () => {
    const { id } = await bench.play(failing({ times: 2 }))
    await bench.command(id, 'retry')
    await bench.ended(id, 2)
    await bench.command(id, 'retry')
    const events = await bench.ended(id, 3)
    const again = ['retry_scheduled', 'started']
    const failure = failed('provider_error')
    expect(outline(events)).toEqual([
      'created',
      'started',
      ...failure,
      ...again,
      ...failure,
      ...again,
      ...step,
      ...lastStep,
    ])
  })

  test('counts attempts of a step and retries of a run alike', async () => {
    const { id } = await bench.play(failing({ retryable: true, times: 4 }))
    await bench.command(id, 'retry')
    const events = await bench.ended(id, 2)
    const second = outline(events.slice(events.findIndex(({ type }) => type === 'run.worker.retry_scheduled')))
    expect(second).toEqual(['retry_scheduled', 'started', ...retried, ...step, ...lastStep])
    expect(new Set(done(events).map(({ task_id }) => task_id)).size).toBe(2)
  })

  test('counts for each step of its own', async () => {
    const flaky = { fail: { retryable: true, times: 1 } }
    const { events } = await bench.play(scripted([flaky, flaky]))
    expect(outline(events)).toEqual(['created', 'started', ...retried, ...step, ...retried, ...lastStep])
  })
})

test.concurrent('a run fails while steps side by side are executing: they end without an event', async () => {
  const plan = [
    { id: 'slow', instruction: 'x', depends_on: [] },
    { id: 'bad', instruction: 'x', depends_on: [] },
  ]
  const { events } = await bench.play(planned(plan, [{ delay_ms: 30_000 }, { delay_ms: 50, fail: {} }]))
  expect(outline(events)).toEqual(['created', 'started', ...failed('provider_error')])
})

test.concurrent('a step in its pause between two attempts does not hold up one beside it', async () => {
  const plan = [
    { id: 'flaky', instruction: 'x', depends_on: [] },
    { id: 'one', instruction: 'x', depends_on: [] },
    { id: 'two', instruction: 'x', depends_on: ['one'] },
  ]
  const script = [{ say: 'flaky', fail: { retryable: true, times: 1 } }, { say: 'one', delay_ms: 20 }, { say: 'two' }]
  const { events } = await bench.play(planned(plan, script))
  expect(done(events).map(({ content }) => content)).toEqual(['', 'one', 'two', 'flaky'])
})
