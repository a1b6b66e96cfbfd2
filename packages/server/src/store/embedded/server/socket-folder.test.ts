// The folder of the socket is private, short and new.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { prepareSite, serverUid } from '../site/site.ts'
import { isPrivateFolder, makeSocketFolder, removeSocketFolder } from './socket-folder.ts'

function newSite(mode = 0o755) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runwright-test-')))
  chmodSync(folder, mode)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return prepareSite(join(folder, 'data'))
}

function useTemporaryFolder(path: string): void {
  mkdirSync(path, { recursive: true })
  vi.stubEnv('TMPDIR', path)
  onTestFinished(() => void vi.unstubAllEnvs())
}

test('it belongs to the server alone, and each is new', () => {
  const site = newSite()
  useTemporaryFolder(dirname(site.dataDir))
  const [first, second] = [makeSocketFolder(site, 5432), makeSocketFolder(site, 5432)]
  expect(dirname(first)).toBe(dirname(site.dataDir))
  expect(first).not.toBe(second)
  expect(statSync(first).mode & 0o777).toBe(0o700)
  expect(statSync(first).uid).toBe(serverUid(site))
})

test('the path of a socket in it never gets longer than systems allow', () => {
  const site = newSite()
  const room = 103 - '/runwright-pg-XXXXXX/.s.PGSQL.5432'.length - dirname(site.dataDir).length
  for (const [length, parent] of [
    [room, undefined],
    [room + 1, '/tmp'],
  ] as const) {
    useTemporaryFolder(join(dirname(site.dataDir), 'x'.repeat(length - 1)))
    const folder = makeSocketFolder(site, 5432)
    onTestFinished(() => removeSocketFolder(folder, site))
    expect(dirname(folder)).toBe(parent ?? tmpdir())
  }
})

test('a missing temporary folder is skipped', () => {
  const site = newSite()
  vi.stubEnv('TMPDIR', join(site.dataDir, 'missing'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = makeSocketFolder(site, 5432)
  removeSocketFolder(folder, site)
  expect(dirname(folder)).toBe('/tmp')
})

test('a folder others can enter, or a link to one, is not trusted and not removed', () => {
  const site = newSite()
  useTemporaryFolder(dirname(site.dataDir))
  const folder = makeSocketFolder(site, 5432)
  const link = join(dirname(folder), 'runwright-pg-link')
  symlinkSync(folder, link)
  expect([folder, link].map((path) => isPrivateFolder(path, site))).toEqual([true, false])
  chmodSync(folder, 0o755)
  expect(isPrivateFolder(folder, site)).toBe(false)
  removeSocketFolder(folder, site)
  expect(existsSync(folder)).toBe(true)
})
