// The host: what other users and processes of the machine, a proxy in front, and a spreadsheet can do with the service.
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
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bearer, Caller, expectRefusal, parseRaw, rawExchange } from '../support/http.ts'
import { ServiceProcess } from '../support/processes.ts'
import { type Service, startService } from '../support/service.ts'

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runwright-attack-')))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A whole service with an embedded PostgreSQL, as an operator starts it. */
function startEmbedded(folder: string): ServiceProcess {
  const env = { PATH: process.env.PATH ?? '', RUNWRIGHT_DATA_DIR: join(folder, 'data'), RUNWRIGHT_PORT: '0' }
  const service = new ServiceProcess('start', env, folder)
  onTestFinished(async () => void (await service.stop()))
  return service
}

/** What PostgreSQL answers to a process of the host that guesses. */
async function guess(host: string, credentials: { user: string; password?: string }): Promise<string> {
  const client = new Client({ host, port: 5432, database: 'postgres', ssl: false, ...credentials })
  try {
    await client.connect()
    return 'connected'
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end()
  }
}

describe('the embedded PostgreSQL', () => {
  test('serves the service, and refuses every process that does not have the password', async () => {
    const folder = newFolder()
    const service = await startEmbedded(folder).ready()
    const key = /key_\w+:\S+/.exec(service.output)?.[0] ?? ''
    expect((await new Caller(service.url, key).create()).status).toBe(201)

    const [pid, , , , host = ''] = readFileSync(join(folder, 'data', 'postgres', 'postmaster.pid'), 'utf8').split('\n')
    const password = readFileSync(join(folder, 'data', 'postgres.password'), 'utf8').trim()
    for (const user of ['runwright_service', 'runwright', 'postgres', 'root']) {
      expect(await guess(host, { user, password: 'guess' })).toMatch(/^password authentication failed/)
      expect(await guess(host, { user, password: '' })).toMatch(/password/)
    }
    // The superuser cannot connect at all.
    expect(await guess(host, { user: 'runwright', password })).toMatch(/^password authentication failed/)
    expect(await guess(host, { user: 'runwright_service', password })).toBe('connected')
    const client = new Client({
      host,
      port: 5432,
      database: 'postgres',
      ssl: false,
      user: 'runwright_service',
      password,
    })
    await client.connect()
    // What gets into a statement of the service does not get out of its database.
    for (const text of [
      "copy (select 1) to program 'true'",
      "select pg_read_file('/etc/hostname')",
      'set role runwright',
    ])
      await expect(client.query(text)).rejects.toThrow(/permission denied/)
    await client.end()

    const log = readFileSync(join(folder, 'data', 'postgres.log'), 'utf8')
    const shown = [pid, service.pid].flatMap((id) =>
      ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${id}/${file}`, 'utf8')),
    )
    expect([log, service.output, ...shown].join('\n')).not.toContain(password)
    expect(statSync(join(folder, 'data', 'postgres.password'))).toMatchObject({
      uid: process.getuid?.(),
      mode: 0o100_600,
    })
  }, 120_000)
})

describe('a link planted in the data folder', () => {
  const snapshot = (folder: string) =>
    [folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => {
      const { uid, gid, mode, mtimeMs } = statSync(path)
      return { path, uid, gid, mode, mtimeMs }
    })

  test.each([
    ['postgres', 'is a symbolic link'],
    ['postgres.password', 'cannot be read (ELOOP)'],
    ['encryption-key', 'is a symbolic link, which is not followed'],
  ])(
    'as %s stops the start and leaves the other folder as it is',
    async (name, words) => {
      const folder = newFolder()
      const [data, outside] = [join(folder, 'data'), join(folder, 'outside')]
      for (const path of [data, outside]) mkdirSync(path)
      chmodSync(outside, 0o755)
      writeFileSync(join(outside, 'PG_VERSION'), '18\n')
      writeFileSync(join(outside, 'encryption-key'), `${Buffer.alloc(32).toString('base64')}\n`)
      const target = name === 'postgres' ? outside : join(outside, 'encryption-key')
      symlinkSync(target, join(data, name))
      const before = snapshot(outside)
      const service = startEmbedded(folder)
      expect((await service.exited).code).toBe(1)
      expect(service.output).toContain(words)
      expect(snapshot(outside)).toEqual(before)
    },
    60_000,
  )
})

describe('over HTTP', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  const ask = async (...headers: string[]) =>
    parseRaw(
      await rawExchange(service.url, `GET /v1/runs HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`),
    )
  const host = 'Host: x'
  const good = () => `Authorization: ${bearer(service.key)}`
  const other = () => `authorization: ${bearer(service.otherKey)}`

  test('one key is accepted, two are not, in whatever order', async () => {
    expect((await ask(host, good())).status).toBe(200)
    for (const pair of [
      [good(), other()],
      [other(), good()],
      [good(), good()],
      [good(), 'AUTHORIZATION: '],
      ['Authorization: Basic eDp5', good()],
    ]) {
      const reply = await ask(host, ...pair)
      expectRefusal(reply, 400, 'REQUEST_MALFORMED')
      expect(reply.json().message).toBe('The request has two Authorization headers. Send one.')
    }
  })

  test('two Host headers are refused, also where no key is needed', async () => {
    const reply = await ask(host, 'hOsT: y', good())
    expectRefusal(reply, 400, 'REQUEST_MALFORMED')
    expect(reply.json().message).toBe('The request has two Host headers. Send one.')
    const health = await rawExchange(service.url, 'GET /health/live HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n')
    expectRefusal(parseRaw(health), 400, 'REQUEST_MALFORMED')
  })

  test('a label is never a formula of a spreadsheet that splits at commas, semicolons, tabs or bars', async () => {
    const acme = new Caller(service.url, service.key)
    const labels = ['=1+1', 'a;=1+1', 'a,@x', 'a\t-1', 'a|+1', 'a"; "=1', 'a\n=1', 'a\r\n;=1', '"";=1']
    for (const label of labels) await acme.newRun({ workspace_id: label, subject_id: label })
    const { text } = await acme.get('/v1/usage?group_by=workspace_id,subject_id', { accept: 'text/csv' })
    expect(text.split('run.created')).toHaveLength(labels.length + 1)
    for (const separator of [',', ';', '\t', '|']) {
      const cells = text.split(/\r\n|\r|\n/).flatMap((line) => line.split(separator))
      for (const cell of cells) expect(cell).not.toMatch(/^["\s]*[=+\-@]/)
    }
  })
})
