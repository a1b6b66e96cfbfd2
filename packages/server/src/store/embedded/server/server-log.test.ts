// The server's log stays small and leads nowhere else.
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { prepareSite, type Site } from '../site/site.ts'
import { openServerLog, readFailure, trimServerLog } from './server-log.ts'

function newSite(): Site {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return prepareSite(folder)
}

test('over its limit it is emptied while the server writes to it, and the previous content is kept', () => {
  const site = newSite()
  const server = openServerLog(site)
  writeSync(server, 'old\n')
  trimServerLog(site, 3)
  writeSync(server, 'new\n')
  closeSync(server)
  expect(readFileSync(site.logFile, 'utf8')).toBe('new\n')
  expect(readFileSync(`${site.logFile}.1`, 'utf8')).toBe('old\n')
})

test('below its limit it stays as it is', () => {
  const site = newSite()
  writeFileSync(site.logFile, 'old\n')
  trimServerLog(site, 4)
  expect(readFileSync(site.logFile, 'utf8')).toBe('old\n')
})

test('a link in its place is not followed', () => {
  const site = newSite()
  const elsewhere = join(site.dataDir, 'elsewhere')
  symlinkSync(elsewhere, site.logFile)
  expect(() => openServerLog(site)).toThrow(/ELOOP/)
})

test("a failure is the server's own last fatal word, or what was said last", () => {
  const site = newSite()
  writeFileSync(site.logFile, 'x [7] FATAL:  of an earlier start\n')
  const log = openServerLog(site)
  onTestFinished(() => closeSync(log))
  const offset = readFileSync(site.logFile).length
  expect(readFailure(log, offset, 7)).toBe('it said nothing')
  appendFileSync(site.logFile, 'cannot load library\n')
  expect(readFailure(log, offset, 7)).toBe('cannot load library')
  appendFileSync(site.logFile, 'x [7] FATAL:  no room\nx [7] LOG:  ending\nx [8] FATAL:  of another\n')
  expect(readFailure(log, offset, 7)).toBe('no room')
})
