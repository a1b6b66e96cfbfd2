// The other way in, made for Windows and tried wherever the tests run: a loopback port and a password.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { leaveServer, openServer } from './open-server.ts'
import { prepareSite } from './site.ts'

test('a server on the loopback interface accepts only clients with the password', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const site = prepareSite(join(folder, '.runwright'), 'loopback')
  const server = await openServer(site, { report: () => undefined })
  onTestFinished(() => leaveServer(site, server))
  expect(server.connection).toMatchObject({ host: '127.0.0.1', password: expect.stringMatching(/^.{32}$/) })
  await expect(new Client({ ...server.connection, password: 'guess' }).connect()).rejects.toMatchObject({
    code: '28P01',
  })
})
