import { type UsageRow, usageEventTypes } from '@runwright/contract'
import { expect, test } from 'vitest'
import { usageTable } from './usage-table.ts'

const row = (period: string, event_type: string, total_quantity: number): UsageRow => ({
  period,
  event_type,
  total_quantity,
  count: 1,
  workspace_id: null,
  subject_id: null,
})

test('a row per day, newest first, with a column for every type and its total', () => {
  const table = usageTable([
    row('2026-11-14', 'run.created', 2),
    row('2026-11-15', 'run.created', 1),
    row('2026-11-15', 'tokens.consumed', 1893),
  ])
  expect(table).toEqual({
    eventTypes: usageEventTypes,
    days: [
      { day: '2026-11-15', quantities: [1, 0, 0, 1893] },
      { day: '2026-11-14', quantities: [2, 0, 0, 0] },
    ],
    totals: [3, 0, 0, 1893],
  })
})

test('an unknown event type gets its own column', () => {
  const table = usageTable([row('2026-11-15', 'pages.read', 7)])
  expect(table.eventTypes).toEqual([...usageEventTypes, 'pages.read'])
  expect(table.totals.at(-1)).toBe(7)
})
