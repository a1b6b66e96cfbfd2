// The table of attacks in docs/security-tests.md and the folder of attacks have the same files.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const page = readFileSync(join(import.meta.dirname, '../../../docs/security-tests.md'), 'utf8')
const rows = page
  .split('\n')
  .flatMap((line) => /^\| ([^|]+) \| `([\w.-]+)` \| ([^|]+) \|$/.exec(line)?.slice(1, 4) ?? [])
const listed = rows.filter((_, at) => at % 3 === 1)

test('every file of attacks has a row, and every row a file', () => {
  expect(listed).toEqual(readdirSync(join(import.meta.dirname, 'attacks')).toSorted())
})

test('no row says the same as another one', () => {
  expect(new Set(rows).size).toBe(rows.length)
})
