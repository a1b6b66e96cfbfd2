import type { RunEvent } from '@runwright/client'
import { expect, test } from 'vitest'
import { lookBack } from './look-back.ts'

let seq = 0
const event = (type: RunEvent['type'], value: object): RunEvent => {
  seq += 1
  const timestamp = new Date(1_800_000_000_000 + seq * 1000).toISOString()
  return { seq, type, timestamp, payload: { redacted: false, value } } as RunEvent
}
const delta = (task_id: string, content_delta: string) =>
  event('step.progress', { kind: 'content_delta', task_id, content_delta })

test('the last words are those of the step that spoke last', () => {
  const events = [
    delta('task_1', 'I compare the offers.'),
    event('step.done', { task_id: 'task_1', content: 'Oakline is cheaper.', outcome: 'succeeded' }),
    delta('task_2', 'I now pay '),
    delta('task_2', 'the invoice.'),
  ]
  expect(lookBack(events, { isWhole: true })).toEqual({ calls: [], lastWords: 'I now pay the invoice.', isWhole: true })
})

test('the text of a tool step is not what the model said', () => {
  const done = (task_id: string, content: string) => event('step.done', { task_id, content, outcome: 'succeeded' })
  const events = [done('task_1', 'I ask for the sum.'), done('task_2', '{"result":171}')]
  expect(lookBack(events, { isWhole: true, toolTasks: new Set(['task_2']) }).lastWords).toBe('I ask for the sum.')
})

test('all calls are there with their outcome, in the order of time', () => {
  const events = [
    event('step.progress', { kind: 'tool_call_start', task_id: 'task_1', tool_call_id: 'c1', tool_name: 'http_fetch' }),
    event('step.progress', {
      kind: 'tool_call_start',
      task_id: 'task_2',
      tool_call_id: 'c2',
      tool_name: 'memory_search',
    }),
    event('run.tool.invoked', { tool_call_id: 'c1', tool_name: 'http_fetch', tool_outcome: 'failed', duration_ms: 5 }),
  ]
  expect(lookBack(events, { isWhole: false }).calls.map(({ name, state }) => [name, state])).toEqual([
    ['http_fetch', 'failed'],
    ['memory_search', 'running'],
  ])
})
