import { expect, test } from 'vitest'
import { type Column, renderTable } from './print-table.ts'

interface Row {
  readonly name: string | null
  readonly at: Date | null
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'AT', cell: ({ at }) => at },
]

test('columns are as wide as their longest cell, and null is a dash', () => {
  const rows = [
    { name: 'much longer', at: null },
    { name: null, at: new Date(0) },
  ]
  expect(renderTable(columns, rows)).toBe(
    ['NAME         AT', 'much longer  -', '-            1970-01-01T00:00:00.000Z'].join('\n'),
  )
})

test('on a terminal that is too narrow, each row is a block of lines', () => {
  const rows = [
    { name: 'one', at: new Date(0) },
    { name: null, at: null },
  ]
  const narrow = ['NAME  one', 'AT    1970-01-01T00:00:00.000Z', '', 'NAME  -', 'AT    -'].join('\n')
  expect(renderTable(columns, rows, 29)).toBe(narrow)
  expect(renderTable(columns, rows, 30)).not.toBe(narrow)
})

test('without rows only the titles are printed', () => {
  expect(renderTable(columns, [])).toBe('NAME  AT')
})

test('control characters in a name do not reach the terminal', () => {
  const table = renderTable(columns, [{ name: 'a\u001b[31mb\nc\u202ed', at: null }])
  expect(table.split('\n')[1]).toBe('a\u{fffd}[31mb\u{fffd}c\u{fffd}d  -')
})
