import type { RunEvent } from '@runwright/client'
import { expect, test } from 'vitest'
import { eventRows } from './event-rows.ts'

const at = { timestamp: '2026-11-15T09:30:00.000Z' }
const request_id = 'req_1'

const delta = (seq: number, content_delta: string, task_id = 'task_1'): RunEvent => ({
  ...at,
  seq,
  type: 'step.progress',
  payload: { redacted: false, value: { kind: 'content_delta', content_delta, task_id } },
})

const started: RunEvent = {
  ...at,
  seq: 1,
  type: 'run.worker.started',
  payload: { redacted: false, value: { request_id, from_status: 'queued', to_status: 'running', reason_code: null } },
}

const toolCall: RunEvent = {
  ...at,
  seq: 4,
  type: 'step.progress',
  payload: { redacted: false, value: { kind: 'tool_call_start', tool_name: 'calculator', task_id: 'task_1' } },
}

test('consecutive chunks of one text are one row', () => {
  const rows = eventRows([started, delta(2, 'Hel'), delta(3, 'lo')])
  expect(rows.map(({ events, text }) => [events.map(({ seq }) => seq), text])).toEqual([
    [[1], undefined],
    [[2, 3], 'Hello'],
  ])
})

test('another event, or the text of another step, starts a new row', () => {
  const rows = eventRows([delta(2, 'a'), delta(3, 'b', 'task_2'), toolCall, delta(5, 'c', 'task_2')])
  expect(rows.map(({ events }) => events.length)).toEqual([1, 1, 1, 1])
})

test('a transition shows both states', () => {
  expect(eventRows([started])[0]?.summary).toBe('queued → running')
})

test('a tool call shows the tool', () => {
  expect(eventRows([toolCall])[0]?.summary).toBe('tool_call_start · calculator')
})

test('an event of an unknown type is a row too', () => {
  const unknown = { ...started, type: 'run.dreamt' } as unknown as RunEvent
  expect(eventRows([unknown])).toEqual([{ events: [unknown], summary: '', text: undefined }])
})
