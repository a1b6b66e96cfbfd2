// Stopping a server that does not end by itself.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openServer } from '../open-server.ts'
import { prepareSite, type Site } from '../site/site.ts'
import { removeEndpoint } from './endpoint.ts'
import { isServerAlive } from './server-liveness.ts'
import { stopServer } from './stop-server.ts'

function newSite(): Site {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return prepareSite(join(folder, '.runwright'))
}

test('a fast stop that takes too long is followed by an immediate stop', async () => {
  const site = newSite()
  const { connection, pid } = await openServer(site, { report: () => undefined })
  const client = new Client(connection).on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  process.kill(Number(rows[0]?.pid), 'SIGSTOP')
  const stopped = stopServer(site, { pid, ...connection }, { fastMs: 50, immediateMs: 10_000 })
  await expect.poll(() => readFileSync(site.logFile, 'utf8')).toMatch(/received immediate shutdown request/)
  process.kill(Number(rows[0]?.pid), 'SIGCONT')
  await stopped
  removeEndpoint(connection, site)
  expect(isServerAlive({ pid, ...connection })).toBe(false)
})
