// The first key of a service with its own database: it can do what the guides ask of it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Caller, expectRefusal } from '../support/http.ts'
import { ServiceProcess } from '../support/processes.ts'

test('the first key of an embedded database may create webhooks, but not see what others did', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-first-key-'))
  const env = { PATH: process.env.PATH ?? '', RUNWRIGHT_DATA_DIR: join(folder, 'data'), RUNWRIGHT_PORT: '0' }
  const service = new ServiceProcess('start', env, folder)
  try {
    await service.ready()
    const { url, api_key } = JSON.parse(readFileSync(join(folder, 'data/client.json'), 'utf8'))
    const caller = new Caller(url, api_key)
    expect((await caller.get('/v1/webhooks')).status).toBe(200)
    expectRefusal(await caller.get('/v1/audit'), 403, 'SCOPE_DENIED')
    await service.stop()
  } finally {
    await service.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})
