// A link in the data folder leads to nothing: what is outside is neither read nor written, and keeps its owner and
// mode.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ensureCluster } from './cluster/cluster.ts'
import { findPassword } from './cluster/password.ts'
import { disownPostmasterFile, findPostmasterFile } from './server/postmaster-file.ts'
import { isRoot } from './site/account.ts'
import { giveContentTo, makePrivate } from './site/own-folder.ts'
import { prepareSite, type Site } from './site/site.ts'

const account = { uid: 65_534, gid: 65_534 }

function newFolders(): { dataDir: string; outside: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runwright-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [dataDir, outside] = [join(folder, 'data'), join(folder, 'outside')]
  mkdirSync(dataDir)
  mkdirSync(outside)
  chmodSync(outside, 0o755)
  writeFileSync(join(outside, 'PG_VERSION'), '18\n')
  return { dataDir, outside }
}

/** Everything that a wrong step could change. */
function look(outside: string) {
  const paths = [outside, ...readdirSync(outside).map((name) => join(outside, name))]
  return paths.map((path) => {
    const { uid, mode, mtimeMs } = statSync(path)
    return { path, uid, mode, mtimeMs }
  })
}

test('in the place of the database it stops the start', () => {
  const { dataDir, outside } = newFolders()
  const before = look(outside)
  symlinkSync(outside, join(dataDir, 'postgres'))
  expect(() => prepareSite(dataDir)).toThrow(
    /postgres is a symbolic link, and Runwright does not follow links in its data folder\. Replace it/,
  )
  expect(look(outside)).toEqual(before)
})

test('put in the place of the database after the first look, it is not followed either', async () => {
  const { dataDir, outside } = newFolders()
  const site: Site = { ...prepareSite(dataDir), account }
  symlinkSync(outside, site.clusterDir)
  const before = look(outside)
  const binaries = { initdb: '', postgres: '', pgCtl: '', major: 18 }
  await expect(ensureCluster({ site, binaries, report: () => undefined })).rejects.toThrow(/symbolic link/)
  expect(look(outside)).toEqual(before)
})

test('a folder that gets a new owner or mode must not be a link', () => {
  const { dataDir, outside } = newFolders()
  const before = look(outside)
  symlinkSync(outside, join(dataDir, 'folder'))
  expect(() => makePrivate(join(dataDir, 'folder'), undefined)).toThrow(/ENOTDIR|ELOOP/)
  expect(look(outside)).toEqual(before)
})

test.skipIf(!isRoot())('a restored database gets its owner, and what its links lead to does not', () => {
  const { dataDir, outside } = newFolders()
  const before = look(outside)
  mkdirSync(join(dataDir, 'postgres', 'base'), { recursive: true })
  writeFileSync(join(dataDir, 'postgres', 'base', '1'), '')
  symlinkSync(outside, join(dataDir, 'postgres', 'pg_wal'))
  symlinkSync(join(outside, 'PG_VERSION'), join(dataDir, 'postgres', 'link'))
  giveContentTo(account, join(dataDir, 'postgres'))
  expect(statSync(join(dataDir, 'postgres', 'base', '1')).uid).toBe(account.uid)
  expect(statSync(join(dataDir, 'postgres', 'base')).uid).toBe(account.uid)
  expect(look(outside)).toEqual(before)
})

test('the password and the file of the running server are not read or written through one', () => {
  const { dataDir, outside } = newFolders()
  const site = prepareSite(dataDir)
  const secret = join(outside, 'secret')
  writeFileSync(secret, `${process.pid}\n/x\n1\n5432\n/tmp/runwright-pg-x\n\n\nready\n`)
  mkdirSync(site.clusterDir)
  symlinkSync(secret, join(dataDir, 'postgres.password'))
  symlinkSync(secret, join(site.clusterDir, 'postmaster.pid'))
  const before = look(outside)
  expect(() => findPassword(site)).toThrow(/postgres\.password, cannot be read \(ELOOP\)\. It must be a regular file/)
  expect(() => findPostmasterFile(site)).toThrow(/ELOOP/)
  expect(() => disownPostmasterFile(site)).toThrow(/ELOOP/)
  expect(look(outside)).toEqual(before)
  expect(readFileSync(secret, 'utf8')).toMatch(/^\d+\n\/x\n/)
})
