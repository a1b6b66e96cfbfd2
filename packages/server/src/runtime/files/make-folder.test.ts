import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'make-folder-'))
afterAll(() => rmSync(root, { recursive: true }))

test('makes what is missing, and says which folder it made first', () => {
  const deep = join(root, 'a/b/c')
  expect(makeFolder(deep, 0o700)).toBe(join(root, 'a'))
  expect(statSync(deep).mode & 0o777).toBe(0o700)
  expect(makeFolder(deep, 0o700)).toBeUndefined()
})

test('a file in its place is an error', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => makeFolder(join(root, 'file'), 0o700)).toThrow('EEXIST')
  expect(() => makeFolder(join(root, 'file/inner'), 0o700)).toThrow('ENOTDIR')
})

test.runIf(process.platform === 'linux')('a folder that the system refuses is an error, and no endless loop', () => {
  expect(() => makeFolder('/proc/x', 0o700)).toThrow('ENOENT')
})
