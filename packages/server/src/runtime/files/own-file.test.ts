import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readOwnFile } from './own-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
afterAll(() => rmSync(folder, { recursive: true }))
const inFolder = (name: string) => join(folder, name)

test('a regular file is read', () => {
  writeFileSync(inFolder('file'), 'text')
  expect(readOwnFile(inFolder('file'))).toBe('text')
})

test.skipIf(process.platform === 'win32')('a link, a folder and a pipe are refused', () => {
  writeFileSync(inFolder('target'), 'text')
  symlinkSync(inFolder('target'), inFolder('link'))
  mkdirSync(inFolder('folder'))
  execFileSync('mkfifo', [inFolder('pipe')])
  expect(() => readOwnFile(inFolder('link'))).toThrow(expect.objectContaining({ code: 'ELOOP' }))
  expect(() => readOwnFile(inFolder('folder'))).toThrow(expect.objectContaining({ code: 'EINVAL' }))
  expect(() => readOwnFile(inFolder('pipe'))).toThrow(expect.objectContaining({ code: 'EINVAL' }))
  expect(() => readOwnFile(inFolder('missing'))).toThrow(expect.objectContaining({ code: 'ENOENT' }))
})
