// Every connection needs the password, and only the service's user can read it.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { leaveServer, openServer } from '../open-server.ts'
import type { EmbeddedConnection } from '../server/endpoint.ts'
import { isRoot } from '../site/account.ts'
import { prepareSite, type Site, type Transport } from '../site/site.ts'
import { passwordFile } from './password.ts'

function newSite(transport?: Transport): Site {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return prepareSite(join(folder, '.runwright'), transport)
}

/** `stop` may be called before the test ends. */
async function open(site: Site) {
  const server = await openServer(site, { report: () => undefined })
  let left: Promise<void> | undefined
  const stop = () => {
    left ??= leaveServer(site, server)
    return left
  }
  onTestFinished(stop)
  return { ...server, stop }
}

async function tryConnect(connection: EmbeddedConnection): Promise<string | undefined> {
  const client = new Client(connection).on('error', () => undefined)
  try {
    await client.connect()
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end()
  }
}

const hbaOf = (site: Site) => join(site.clusterDir, 'pg_hba.conf')
const passwordRefused = /^password authentication failed for user/
const passwordMissing = /password must be a (non-empty )?string|empty password/

describe.each<Transport>(['socket', 'loopback'])('a server on a %s', (transport) => {
  test('refuses a connection without the password or with another, and keeps it to the service', async () => {
    const site = newSite(transport)
    const { connection, pid, client } = await open(site)
    const { password = '', ...unlocked } = connection
    expect(await tryConnect(connection)).toBeUndefined()
    expect(await tryConnect({ ...unlocked, password: 'guess' })).toMatch(passwordRefused)
    expect(await tryConnect({ ...unlocked, password: '' })).toMatch(passwordMissing)
    expect(await tryConnect({ ...connection, user: 'postgres' })).toMatch(passwordRefused)

    expect(password).toMatch(/^.{32}$/)
    expect(statSync(passwordFile(site))).toMatchObject({ uid: process.getuid?.(), mode: 0o100_600 })
    await expect(client.query('select rolpassword from pg_authid')).rejects.toThrow('permission denied')
    const shown = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join()
    expect(`${shown} ${readFileSync(site.logFile, 'utf8')}`).not.toContain(password)
  })
})

test.skipIf(!isRoot())("another process of PostgreSQL's user cannot read the password", async () => {
  const site = newSite()
  await open(site)
  const { status, stderr } = spawnSync('cat', [passwordFile(site)], { ...site.account, encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(stderr).toMatch(/Permission denied/)
})

test('a database that trusted its socket needs a password after the next start, and keeps its data', async () => {
  const site = newSite()
  const first = await open(site)
  await first.client.query('create table kept as select 7 as value')
  await first.stop()
  writeFileSync(hbaOf(site), 'local all all trust\n')
  rmSync(passwordFile(site))
  const { connection, client } = await open(site)
  expect(await tryConnect({ ...connection, password: 'guess' })).toMatch(passwordRefused)
  expect((await client.query('select value from kept')).rows).toEqual([{ value: 7 }])
  expect(statSync(hbaOf(site)).uid).toBe(statSync(site.clusterDir).uid)
})

test('a password file that is lost is replaced, and one of another database is named, with what to do', async () => {
  const site = newSite()
  const first = await open(site)
  await first.stop()
  rmSync(passwordFile(site))
  const second = await open(site)
  expect(second.connection.password).not.toBe(first.connection.password)

  writeFileSync(passwordFile(site), 'of-another-database\n')
  const opening = openServer(site, { report: () => undefined })
  await expect(opening).rejects.toThrow(/refuses the password in .*postgres\.password\. Stop that PostgreSQL, delete/)
})
