import type { RunEvent } from '@runwright/client'
import { expect, test } from 'vitest'
import { FilteredEvents } from './event-filter.ts'

const noFilter = { type: '', taskId: '', text: '' }

const delta = (seq: number, task_id: string, content_delta: string): RunEvent => ({
  seq,
  type: 'step.progress',
  timestamp: '2026-11-15T09:30:00.000Z',
  payload: { redacted: false, value: { kind: 'content_delta', task_id, content_delta } },
})
const done = (seq: number, task_id: string): RunEvent => ({
  seq,
  type: 'step.done',
  timestamp: '2026-11-15T09:30:00.000Z',
  payload: { redacted: false, value: { task_id, content: 'Done', outcome: 'succeeded' } },
})

const events = [delta(1, 'a', 'One'), delta(2, 'b', 'Two'), done(3, 'a'), done(4, 'b')]

const seqsOf = (filter: Partial<typeof noFilter>) => {
  const filtered = new FilteredEvents({ ...noFilter, ...filter })
  const count = filtered.update(events, events.length)
  return Array.from({ length: count }, (_, row) => events[filtered.indexOf(row)]?.seq)
}

test.each([
  [{}, [1, 2, 3, 4]],
  [{ type: 'step.done' }, [3, 4]],
  [{ taskId: 'a' }, [1, 3]],
  [{ text: ' two ' }, [2]],
  [{ type: 'step.done', taskId: 'a', text: 'DONE' }, [3]],
  [{ text: 'nowhere' }, []],
])('%j shows %j', (filter, seqs) => {
  expect(seqsOf(filter)).toEqual(seqs)
})

test('new events are added to those that were found', () => {
  const filtered = new FilteredEvents({ ...noFilter, taskId: 'b' })
  expect(filtered.update(events, 2)).toBe(1)
  expect(filtered.update(events, 4)).toBe(2)
  expect(filtered.indexOf(1)).toBe(3)
})

test('a seq that is filtered out leads to the next one that is shown', () => {
  const filtered = new FilteredEvents({ ...noFilter, taskId: 'b' })
  const count = filtered.update(events, 4)
  expect([1, 3, 4, 5].map((seq) => filtered.rowOf(events, seq, count))).toEqual([0, 1, 1, -1])
})
