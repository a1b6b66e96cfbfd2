import type { UsageRow } from '@runwright/contract'
import { expect, test } from 'vitest'
import { columnOf, splitColumns, stack } from './usage-series.ts'

const periods = ['2026-11-01', '2026-11-02']

const row = (period: string, total_quantity: number, workspace_id: string | null = null): UsageRow => ({
  event_type: 'tokens.consumed',
  count: 1,
  total_quantity,
  period,
  workspace_id,
  subject_id: null,
})

const split = (rows: readonly UsageRow[]) =>
  splitColumns(rows, { labelOf: ({ workspace_id }) => workspace_id, without: 'no workspace', periods })

test('a period without usage is zero', () => {
  expect(columnOf('Tokens', [row('2026-11-02', 5)], periods)).toEqual({ name: 'Tokens', quantities: [0, 5], total: 5 })
})

test('labels are columns, the largest first, and usage without a label has its own', () => {
  const columns = split([row('2026-11-01', 1), row('2026-11-01', 7, 'a'), row('2026-11-02', 2, 'a')])
  expect(columns).toEqual([
    { name: 'a', quantities: [7, 2], total: 9 },
    { name: 'no workspace', quantities: [1, 0], total: 1 },
  ])
})

test('beyond seven columns, the smallest are one', () => {
  const columns = split(Array.from({ length: 9 }, (_, index) => row('2026-11-01', 10 + index, `w${index}`)))
  expect(columns.map(({ name }) => name)).toEqual(['w8', 'w7', 'w6', 'w5', 'w4', 'w3', '3 others'])
  expect(columns.at(-1)).toEqual({ name: '3 others', quantities: [33, 0], total: 33 })
})

test('seven columns stay as they are', () => {
  const columns = split(Array.from({ length: 7 }, (_, index) => row('2026-11-01', 10 + index, `w${index}`)))
  expect(columns.at(-1)?.name).toBe('w0')
})

test('bars stand on each other', () => {
  const columns = split([row('2026-11-01', 7, 'a'), row('2026-11-01', 3, 'b'), row('2026-11-02', 1, 'b')])
  expect(stack(columns)).toEqual([
    [7, 0],
    [10, 1],
  ])
})
