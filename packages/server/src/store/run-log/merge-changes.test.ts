import { describe, expect, test } from 'vitest'
import { mergeChanges } from './merge-changes.ts'
import { renderChange } from './render-change.ts'
import type { NewTurn, RunChange } from './run-change.ts'

const progress = (name: string, more: Partial<RunChange> = {}): RunChange => ({
  runId: 'r',
  customerId: 'acme',
  epoch: 3,
  trigger: 'progress',
  events: [{ type: 'step.done', payload: { name } }],
  journal: [{ key: `done:${name}`, body: {} }],
  usage: [{ key: name, eventType: 'task.completed', quantity: 1 }],
  tokens: 5,
  ...more,
})
const turn = (n: number): NewTurn => ({
  epoch: 3,
  attempt: 1,
  taskKey: '0/a',
  callKey: `0/a:${n}`,
  role: 'worker',
  leftMs: 5,
  shared: 0,
  messages: [],
  body: {} as NewTurn['body'],
  size: 2,
})
const merge = (a: RunChange, b: RunChange) => mergeChanges(renderChange(a), renderChange(b))

describe('two changes of one worker', () => {
  test('are merged: all writes of both in order, and the state of the later', () => {
    const end = progress('b', { trigger: 'succeed', result: { redacted: false, value: 1 } })
    expect(merge(progress('a', { resetsRecoveries: true, turns: [turn(1)] }), { ...end, turns: [turn(2)] })).toEqual({
      change: {
        ...end,
        events: [...(progress('a').events ?? []), ...(end.events ?? [])],
        journal: [...(progress('a').journal ?? []), ...(end.journal ?? [])],
        usage: [...(progress('a').usage ?? []), ...(end.usage ?? [])],
        turns: [turn(1), turn(2)],
        tokens: 10,
        resetsRecoveries: true,
      },
      payloads: ['{"name":"a"}', '{"name":"b"}'],
      journal: ['{}', '{}'],
      size: expect.any(Number),
    })
  })

  test.each<[string, RunChange, RunChange]>([
    ['when the earlier one sets a state', progress('a', { trigger: 'fail' }), progress('b')],
    ['when the earlier one is no progress', progress('a', { trigger: 'meter' }), progress('b')],
    ['of different epochs', progress('a'), progress('b', { epoch: 4 })],
    ['that no worker made', progress('a', { epoch: null }), progress('b', { epoch: null })],
    ['of different customers', progress('a'), progress('b', { customerId: 'other' })],
    ['when the later one is allowed in more states', progress('a'), progress('b', { trigger: 'cancel' })],
    ['when the later one has a guard', progress('a'), progress('b', { guard: 'deadline_passed' })],
    ['when the later one answers a wait', progress('a'), progress('b', { awaitSeq: 4 })],
    ['when the earlier one sets the run going', progress('a', { requestId: 'req_1' }), progress('b')],
  ])('stay two %s', (_, a, b) => {
    expect(merge(a, b)).toBeUndefined()
  })
})

test('changes that would be too large together stay separate', () => {
  const large = (name: string, bytes: number) => progress(name, { journal: [{ key: name, body: 'x'.repeat(bytes) }] })
  expect(merge(large('a', 500_000), large('b', 500_000))).toBeDefined()
  expect(merge(large('a', 500_000), large('b', 600_000))).toBeUndefined()
})
