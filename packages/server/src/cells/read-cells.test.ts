import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SettingsError } from '../runtime/settings/settings-error.ts'
import { readCells } from './read-cells.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runwright-cells-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function read(value: unknown) {
  const file = join(folder, 'cells.json')
  writeFileSync(file, JSON.stringify(value))
  return readCells(file)
}

const cell = { url: 'https://a.example.com', database: 'postgres://u:hunter2@a/runwright' }

test('cells come in the order of the file', () => {
  expect(read({ cells: { b: cell, a: cell } })).toEqual([
    { name: 'b', ...cell },
    { name: 'a', ...cell },
  ])
})

test.each([
  ['a URL that is not HTTP', { cells: { a: { ...cell, url: 'ftp://a' } } }, /cells\.a\.url/],
  [
    'a database that is not PostgreSQL',
    { cells: { a: { ...cell, database: 'mysql://hunter2@a' } } },
    /cells\.a\.database/,
  ],
  ['an unknown field', { cells: { a: { ...cell, datbase: 'hunter2' } } }, /cells\.a\.datbase is not a known field/],
  ['a name with a space', { cells: { 'a b': cell } }, /cells/],
  ['no cells', {}, /cells is required/],
])('%s is refused without repeating a value', (_, value, message) => {
  const refused = () => read(value)
  expect(refused).toThrow(SettingsError)
  expect(refused).toThrow(message)
  expect(refused).not.toThrow(/hunter2/)
})

test('without the setting, the error names it', () => {
  expect(() => readCells(undefined)).toThrow(/^RUNWRIGHT_CELLS is not set\./)
})
