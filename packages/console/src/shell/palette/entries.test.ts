import { expect, test } from 'vitest'
import { grouped, matching, type PaletteEntry } from './entries.ts'

const entry = (name: string, group = 'Pages', note?: string): PaletteEntry => ({
  id: name,
  group,
  name,
  note,
  open: () => undefined,
})

const names = (entries: readonly PaletteEntry[]) => entries.map(({ name }) => name)

test('a name that begins with the text comes before one that has it somewhere', () => {
  const entries = [entry('Go to the usage'), entry('Reused'), entry('Usage')]
  expect(names(matching(entries, 'us'))).toEqual(['Usage', 'Go to the usage', 'Reused'])
})

test('all words must match, in the name or beside it, in any case', () => {
  const entries = [entry('clerk', 'Agents', 'Checks invoices'), entry('writer', 'Agents')]
  expect(names(matching(entries, 'INVOICES cl'))).toEqual(['clerk'])
  expect(matching(entries, 'clerk writer')).toEqual([])
})

test('without a text, everything is there in its order', () => {
  const entries = [entry('Runs'), entry('Inbox')]
  expect(names(matching(entries, '  '))).toEqual(['Runs', 'Inbox'])
})

test('each group stands together, the one with the best match first', () => {
  const entries = [entry('a', 'Pages'), entry('b', 'Actions'), entry('c', 'Pages')]
  expect(names(grouped(entries))).toEqual(['a', 'c', 'b'])
})
