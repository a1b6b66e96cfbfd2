// Commands beside each other and beside a service. The data folder is the same for all: each test leaves no server in
// it.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openServer } from './open-server.ts'
import type { EmbeddedConnection } from './server/endpoint.ts'
import { prepareSite } from './site/site.ts'
import { startEmbeddedPostgres } from './start-embedded-postgres.ts'
import { withEmbeddedPostgres } from './with-embedded-postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
chmodSync(folder, 0o755)
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const dataDir = join(folder, '.runwright')

async function query(connection: EmbeddedConnection, text: string) {
  const client = new Client(connection)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

function isRunning(): boolean {
  return existsSync(join(dataDir, 'postgres', 'postmaster.pid'))
}

async function startService() {
  const service = await startEmbeddedPostgres({ dataDir, diesWithParent: true })
  onTestFinished(() => service.stop())
  return service
}

test('two commands at once create and share one server, and the last one stops it', async () => {
  const command = () => withEmbeddedPostgres({ dataDir }, (connection) => query(connection, 'select 1'))
  expect(await Promise.all([command(), command(), command()])).toEqual([[1], [1], [1]])
  expect(isRunning()).toBe(false)
})

test('a command that ends first leaves the server running for the other', async () => {
  await withEmbeddedPostgres({ dataDir }, async (connection) => {
    const host = await withEmbeddedPostgres({ dataDir }, async (same) => same.host)
    expect(host).toBe(connection.host)
    expect(await query(connection, 'select 1')).toEqual([1])
  })
  expect(isRunning()).toBe(false)
})

test("a command joins a live service's server and leaves it running", async () => {
  const service = await startService()
  const host = await withEmbeddedPostgres({ dataDir }, async (connection) => connection.host)
  expect(host).toBe(service.connection.host)
  expect(await query(service.connection, 'select 1')).toEqual([1])
})

test('a service that starts while a command runs keeps the server', async () => {
  const service = await withEmbeddedPostgres({ dataDir }, startService)
  expect(service.how).toBe('attached')
  expect(await query(service.connection, 'select 1')).toEqual([1])
})

test('a service that starts when the last command ends has a server', async () => {
  const [service] = await Promise.all([
    withEmbeddedPostgres({ dataDir }, async () => startService()),
    withEmbeddedPostgres({ dataDir }, async () => undefined),
    withEmbeddedPostgres({ dataDir }, async () => undefined),
  ])
  expect(await query(service.connection, 'select 1')).toEqual([1])
})

test('a service that stops lets a command finish', async () => {
  const service = await startService()
  const finished = withEmbeddedPostgres({ dataDir }, async (connection) => {
    const stopped = service.stop()
    const answer = await query(connection, 'select 1 from pg_sleep(0.1)')
    return { answer, stopped }
  })
  const { answer, stopped } = await finished
  await stopped
  expect(answer).toEqual([1])
  expect(isRunning()).toBe(false)
})

test('a command stops a server that was left behind', async () => {
  const { client, pid } = await openServer(prepareSite(dataDir), { report: () => undefined })
  await client.end()
  const other = await withEmbeddedPostgres({ dataDir }, async () => isRunning())
  expect({ pid, other }).toEqual({ pid, other: true })
  expect(isRunning()).toBe(false)
})

test('an error of the command is passed on, and the server is stopped', async () => {
  const failing = withEmbeddedPostgres({ dataDir }, () => Promise.reject(new Error('no such key')))
  await expect(failing).rejects.toThrow('no such key')
  expect(isRunning()).toBe(false)
})
