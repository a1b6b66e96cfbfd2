// Starts after a process was killed. The data folder is the same for
// all tests: each leaves no server in it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { attach } from './attach.ts'
import type { EmbeddedConnection } from './server/endpoint.ts'
import { findPostmasterFile } from './server/postmaster-file.ts'
import { isProcess, isServerAlive } from './server/server-liveness.ts'
import { prepareSite } from './site/site.ts'
import { startEmbeddedPostgres } from './start-embedded-postgres.ts'
import { withEmbeddedPostgres } from './with-embedded-postgres.ts'

const built = new URL('../../../dist/store/embedded/start-embedded-postgres.js', import.meta.url)

const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
chmodSync(folder, 0o755)
const dataDir = join(folder, '.runwright')

afterAll(async () => {
  await withEmbeddedPostgres({ dataDir }, async () => undefined)
  rmSync(folder, { recursive: true, force: true })
})

async function start(place = dataDir) {
  const postgres = await startEmbeddedPostgres({ dataDir: place, diesWithParent: true })
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

function currentServer() {
  const server = findPostmasterFile(prepareSite(dataDir))
  if (server === undefined) throw new Error('no server')
  return server
}

/** A Node process with a service in it, as far as its server takes connections. */
async function startElsewhere(options: object = {}): Promise<ChildProcess> {
  const code = `const { startEmbeddedPostgres } = await import(process.argv[1])
    await startEmbeddedPostgres(JSON.parse(process.argv[2]))
    console.log('started')`
  const words = ['--input-type=module', '-e', code, built.href, JSON.stringify({ dataDir, ...options })]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('no start'))),
  ])
  return child
}

async function killHard(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function writePostmasterFile(content: string): string {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  writeFileSync(file, content)
  const { account } = prepareSite(dataDir)
  if (account !== undefined) chownSync(file, account.uid, account.gid)
  return file
}

describe('a start', () => {
  test('takes over the server of a service that was killed', async () => {
    await killHard(await startElsewhere())
    const orphan = currentServer()
    expect(isServerAlive(orphan)).toBe(true)
    const { how, connection, stop } = await start()
    expect(how).toBe('attached')
    expect(connection.host).toBe(orphan.host)
    await stop()
    expect(isServerAlive(orphan)).toBe(false)
  })

  test('takes over a server whose socket another TMPDIR would not lead to', async () => {
    await killHard(await startElsewhere())
    vi.stubEnv('TMPDIR', dirname(dataDir))
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await start()).how).toBe('attached')
  })

  test('recovers after the server was killed, and the service is notified', async () => {
    const { connection, lost } = await start()
    await query(connection, 'create table survivor as select 7 as value')
    process.kill(currentServer().pid, 'SIGKILL')
    expect((await lost).message).toMatch(/^The connection to PostgreSQL in .* was lost/)
    const again = await start()
    expect(again.how).toBe('started')
    expect(existsSync(connection.host)).toBe(false)
    expect(await query(again.connection, 'select value from survivor')).toEqual([7])
  })

  test('works with a remaining postmaster.pid that names an unrelated process', async () => {
    await (await start()).stop()
    const innocent = spawn('sleep', ['60'], { ...prepareSite(dataDir).account })
    onTestFinished(() => void innocent.kill())
    writePostmasterFile(`${innocent.pid}\n${dataDir}/postgres\n1\n5432\n/tmp/runwright-pg-gone\n\n\nready\n`)
    expect((await start()).how).toBe('started')
    expect(isProcess(Number(innocent.pid))).toBe(true)
  })

  test('works with a postmaster.pid that a power cut left empty', async () => {
    await (await start()).stop()
    const file = writePostmasterFile('')
    utimesSync(file, new Date(0), new Date(0))
    expect((await start()).how).toBe('started')
  })

  test('on a copied folder does not connect to the server of the original', async () => {
    const copy = join(folder, 'copy')
    const service = await start()
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.log') })
    const other = await start(copy)
    expect(other.how).toBe('started')
    expect(other.connection.host).not.toBe(service.connection.host)
  })

  test('never trusts a socket folder that others can enter', async () => {
    const { connection, stop } = await start()
    chmodSync(connection.host, 0o755)
    expect(await attach(prepareSite(dataDir))).toBe('silent')
    chmodSync(connection.host, 0o700)
    await stop()
  })
})

test('a server that dies with its parent does so after kill -9', async () => {
  const parent = await startElsewhere({ diesWithParent: true })
  const server = currentServer()
  await killHard(parent)
  await vi.waitFor(() => expect(isServerAlive(server)).toBe(false), { timeout: 10_000, interval: 10 })
})
