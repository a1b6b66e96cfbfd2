// A first start on a machine: the key file of the data folder, the sign-in link, and the command that is printed.
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BrowserSession, type SessionBody } from '../support/console-session.ts'
import { Caller, expectRefusal } from '../support/http.ts'
import { type HostedFleet, newFolder, type ServiceProcess, startFleet } from '../support/processes.ts'

const linkPattern = /^ {2}(http:\S+\/console\/)#\/sign-in\?code=([\w-]{43})$/m
const keyOf = ({ output }: ServiceProcess) => /^ {2}(key_\S+:\S+)$/m.exec(output)?.[1]
const linkOf = ({ output }: ServiceProcess) => linkPattern.exec(output)?.slice(1)

describe('a data folder', () => {
  let hosted: HostedFleet
  let dataDir: string
  let first: ServiceProcess
  const start = (env = {}) =>
    hosted.fleet.start('start', { RUNWRIGHT_BOOTSTRAP_KEYS: '', RUNWRIGHT_DATA_DIR: dataDir, ...env })
  const file = () => join(dataDir, 'client.json')
  const client = () => JSON.parse(readFileSync(file(), 'utf8'))
  beforeAll(async () => {
    hosted = await startFleet()
    dataDir = await newFolder()
    first = await start()
  }, 120_000)
  afterAll(async () => {
    await hosted.close()
    rmSync(dataDir, { recursive: true })
  })

  test('gets the first key and the address of the service, for its owner only', async () => {
    expect(client()).toEqual({ url: first.url, api_key: keyOf(first) })
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(first.output).toContain(`  API key  ${file()} (only you can read it)`)
    expect((await new Caller(client().url, client().api_key).get('/v1/runs')).status).toBe(200)
  })

  test('the printed link signs in to the console as this key, once', async () => {
    const [page = '', code = ''] = linkOf(first) ?? []
    expect(page).toBe(`${first.url}/console/`)
    const browser = new BrowserSession(first.url)
    const reply = await browser.signIn({ code })
    expect(reply.status, reply.text).toBe(201)
    expect(reply.json<SessionBody>()).toMatchObject({ key_id: client().api_key.split(':')[0], customer_id: 'default' })
    expect((await browser.get('/v1/runs')).status).toBe(200)
    expectRefusal(await browser.signIn({ code }), 401, 'SIGN_IN_CODE_INVALID')
  })

  test('the printed curl command creates a run, before and after that of the docs', async () => {
    const printed = /^ {2}(curl -s [\s\S]+?)\n\n/m.exec(first.output)?.[1] ?? ''
    const docs = readFileSync(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8')
    const documented = /^curl -s http:\/\/127\.0\.0\.1:8080\/v1\/runs [\s\S]+?'$/m.exec(docs)?.[0] ?? ''
    expect(documented).toContain('idempotency-key: first-run')
    const ours = documented.replace('http://127.0.0.1:8080', first.url)
    for (const command of [printed, ours, printed]) {
      const { stdout } = await promisify(execFile)('sh', ['-c', command], {
        env: { ...process.env, KEY: keyOf(first) },
      })
      expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(/^run_/), status: 'queued' })
    }
  })

  test('keeps the key over a restart and follows the address; the key is not printed again', {
    timeout: 60_000,
  }, async () => {
    const { api_key } = client()
    await first.stop()
    const second = await start()
    expect(second.url).not.toBe(first.url)
    expect(client()).toEqual({ url: second.url, api_key })
    expect(second.output).not.toContain(api_key.split(':')[1])
    expect(linkOf(second)?.[0]).toBe(`${second.url}/console/`)
    expect(linkOf(second)?.[1]).not.toBe(linkOf(first)?.[1])
    await second.stop()
  })

  test('a service that listens on all addresses is reached by the loopback address', { timeout: 60_000 }, async () => {
    const all = await start({ RUNWRIGHT_HOST: '0.0.0.0' })
    const { port } = new URL(all.url)
    expect(client().url).toBe(`http://127.0.0.1:${port}`)
    expect(linkOf(all)?.[0]).toBe(`http://127.0.0.1:${port}/console/`)
    await all.stop()
  })

  test('a key file that others can read is not used, and the service starts', { timeout: 60_000 }, async () => {
    chmodSync(file(), 0o644)
    const before = readFileSync(file(), 'utf8')
    const process = await start()
    expect(process.output).toContain('other users can read it')
    expect(process.output).not.toMatch(/sign-in\?code|Try it/)
    expect(process.output).not.toContain(client().api_key.split(':')[1])
    expect(readFileSync(file(), 'utf8')).toBe(before)
    chmodSync(file(), 0o600)
    await process.stop()
  })

  test('a key file of another database gives no link', { timeout: 60_000 }, async () => {
    writeFileSync(file(), JSON.stringify({ url: 'http://127.0.0.1:1', api_key: 'key_other:secret' }), { mode: 0o600 })
    const process = await start()
    expect(process.output).not.toMatch(/sign-in\?code|API key/)
    await process.stop()
  })
})

test('configured keys are not kept in a file, and there is no link', { timeout: 120_000 }, async () => {
  const hosted = await startFleet()
  try {
    const process = await hosted.fleet.start('start')
    expect(process.output).not.toMatch(/sign-in\?code|client\.json/)
  } finally {
    await hosted.close()
  }
})
