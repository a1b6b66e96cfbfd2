// The service's PostgreSQL, for real: with clusters in temporary folders.
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { EmbeddedConnection } from './server/endpoint.ts'
import { findPostmasterFile } from './server/postmaster-file.ts'
import { isServerAlive } from './server/server-liveness.ts'
import { prepareSite } from './site/site.ts'
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start-embedded-postgres.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newDataDir(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
  folders.push(folder)
  chmodSync(folder, mode)
  return join(folder, '.runwright')
}

async function start(dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}) {
  const postgres = await startEmbeddedPostgres({ dataDir, diesWithParent: true, ...options })
  onTestFinished(() => postgres.stop())
  return postgres
}

async function query(connection: EmbeddedConnection, text: string) {
  const client = new Client(connection)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

/** Without the copy of the programs, which is there when the checkout lies where PostgreSQL's user cannot reach. */
const filesIn = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => !name.startsWith('postgres-binaries-'))
    .sort()

describe('a first start', () => {
  test('creates a database with fsync and UTF-8 that does not listen on a port', async () => {
    const { connection, how, dataDir } = await start(newDataDir())
    const names = ['fsync', 'synchronous_commit', 'data_checksums', 'server_encoding', 'listen_addresses', 'jit']
    const settings = await query(connection, `select ${names.map((name) => `current_setting('${name}')`).join(', ')}`)
    expect(how).toBe('started')
    expect(settings).toEqual(['on', 'on', 'on', 'UTF8', '', 'off'])
    expect(
      await query(
        connection,
        `select upper('é'), datlocprovider, datlocale from pg_database where datname = current_database()`,
      ),
    ).toEqual(['É', 'b', 'C.UTF-8'])
    expect(filesIn(dataDir)).toEqual(['postgres', 'postgres.log', 'postgres.password'])
  })

  test('reports what takes a while, and accepts settings except those that would cost durability', async () => {
    const report = vi.fn()
    const { connection } = await start(newDataDir(), { report, settings: { work_mem: '5MB', fsync: 'off' } })
    expect(report).toHaveBeenCalledWith(expect.stringMatching(/^Creating a new database in /))
    expect(await query(connection, `select current_setting('work_mem'), current_setting('fsync')`)).toEqual([
      '5MB',
      'on',
    ])
  })

  test('never uses the remains of a killed initdb, and removes them when they are old', async () => {
    const dataDir = newDataDir()
    const abandoned = join(dataDir, 'postgres.initdb-abandoned')
    const inTheMaking = join(dataDir, 'postgres.initdb-another')
    for (const folder of [abandoned, inTheMaking]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'PG_VERSION'), '18\n')
    }
    utimesSync(abandoned, new Date(0), new Date(0))
    const { connection } = await start(dataDir)
    expect(await query(connection, 'select 1')).toEqual([1])
    expect(filesIn(dataDir)).toEqual(['postgres', 'postgres.initdb-another', 'postgres.log', 'postgres.password'])
  })

  test('refuses a folder that contains something else', async () => {
    const dataDir = newDataDir()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'notes.txt'), '')
    await expect(start(dataDir)).rejects.toThrow(/contains files but no PostgreSQL database/)
  })

  test('finds a folder for its socket when the path of the temporary folder is long', async () => {
    const long = join(dirname(newDataDir()), 'x'.repeat(100))
    mkdirSync(long)
    vi.stubEnv('TMPDIR', long)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { connection } = await start(join(long, '.runwright'))
    expect(dirname(connection.host)).toBe('/tmp')
    expect(await query(connection, 'select 1')).toEqual([1])
  })

  test('works below a folder that only its owner may enter', async () => {
    const dataDir = newDataDir(0o700)
    const { connection, stop } = await start(dataDir)
    await query(connection, 'create table kept as select 7 as value')
    await stop()
    const again = await start(dataDir)
    expect(await query(again.connection, 'select value from kept')).toEqual([7])
  })

  test('says why PostgreSQL did not start', async () => {
    const dataDir = newDataDir()
    await expect(start(dataDir, { settings: { no_such_setting: 'on' } })).rejects.toThrow(
      /^PostgreSQL did not start \(unrecognized configuration parameter "no_such_setting"\)\. Its log is .*postgres.log\.$/,
    )
  })

  test('can be aborted', async () => {
    const dataDir = newDataDir()
    await expect(start(dataDir, { signal: AbortSignal.timeout(50) })).rejects.toThrow(/aborted/)
    expect(filesIn(dataDir)).toEqual([])
  })
})

describe('a later start', () => {
  const dataDir = newDataDir()

  test('finds what was stored before', async () => {
    const first = await start(dataDir)
    await query(first.connection, 'create table kept as select 7 as value')
    await first.stop()
    const second = await start(dataDir)
    expect(second.how).toBe('started')
    expect(await query(second.connection, 'select value from kept')).toEqual([7])
  })

  test('refuses a database of another major version', async () => {
    const dataDir = newDataDir()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
    await expect(start(dataDir)).rejects.toThrow(
      /created by PostgreSQL 17 and cannot be opened by the installed PostgreSQL 18/,
    )
  })

  test('is refused while another service runs on the folder; the message names its process and start time', async () => {
    const service = await start(dataDir)
    await expect(start(dataDir)).rejects.toThrow(
      new RegExp(
        `^Another Runwright \\(process ${process.pid}\\) has been running on .* since 20\\d\\d-.*Z\\. Stop it first`,
      ),
    )
    expect(await query(service.connection, 'select 1')).toEqual([1])
  })
})

describe('stop', () => {
  const dataDir = newDataDir()

  test('returns when the server and its socket are gone, and may be called again', async () => {
    const { connection, stop } = await start(dataDir)
    const server = findPostmasterFile(prepareSite(dataDir))
    await Promise.all([stop(), stop()])
    expect(server && isServerAlive(server)).toBe(false)
    expect(existsSync(connection.host)).toBe(false)
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\n$/)
    await stop()
  })

  test('does not wait for open transactions', async () => {
    const { connection, stop } = await start(dataDir)
    const client = new Client(connection).on('error', () => undefined)
    const cutOff = once(client, 'error')
    await client.connect()
    await client.query('begin')
    await stop()
    await expect(cutOff).resolves.toEqual([expect.objectContaining({ code: '57P01' })])
  })
})
