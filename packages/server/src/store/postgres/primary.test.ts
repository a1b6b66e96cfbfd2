import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { startLine } from '../../../test/support/line.ts'
import { urlOf } from '../../../test/support/processes.ts'
import { type ConnectionOptions, Database } from './database.ts'
import { Notifications } from './notifications.ts'

// Two ways to one server stand for two servers.
let fresh: FreshDatabase
let first: Awaited<ReturnType<typeof startLine>>
let second: Awaited<ReturnType<typeof startLine>>
let connection: ConnectionOptions
const open: Database[] = []

beforeEach(async () => {
  fresh = await freshDatabase({ migrated: false })
  first = await startLine(fresh.connection)
  second = await startLine(fresh.connection)
  const url = urlOf(first.connection)
  const port = (line: typeof first) => `127.0.0.1:${line.connection.port}`
  connection = { connectionString: url.replace(port(first), `${port(first)},${port(second)}`) }
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((database) => database.close()))
  await Promise.all([first.close(), second.close()])
  await fresh.drop()
})

/** A busy machine may take seconds to connect. Only a test that waits for the real limit has it. */
const patient = { connectTimeoutMs: 20_000 }

function openDatabase(part: { readonly pipeline?: boolean; readonly connectTimeoutMs?: number } = patient): Database {
  const database = new Database({ connection, maxConnections: 2, applicationName: 'runwright test', ...part })
  open.push(database)
  return database
}

const one = { text: 'select 1 as one' }
const isUsed = ({ sent }: typeof first) => sent.all.length > 0

test('the first server is used as long as it answers', async () => {
  await openDatabase().query(one)
  expect([isUsed(first), isUsed(second)]).toEqual([true, false])
})

test('when the first server is away, the next one is used, and other pools go there at once', async () => {
  first.cut()
  expect(await openDatabase().run(one)).toEqual([{ one: 1 }])
  expect(await openDatabase().run(one)).toEqual([{ one: 1 }])
  expect([first.refused.all.length, isUsed(second)]).toEqual([1, true])
})

test('when no server can be used, the error says why for each', async () => {
  await fresh.database.run({
    text: `alter database "${fresh.connection.database}" set default_transaction_read_only = on`,
  })
  first.cut()
  const error = await openDatabase()
    .run(one)
    .catch((reason: Error) => reason)
  const [port1, port2] = [first.connection.port, second.connection.port]
  expect((error as Error).cause).toEqual(
    new Error(`127.0.0.1:${port1}: Connection terminated unexpectedly; 127.0.0.1:${port2}: the server is read-only`),
  )
})

test.each([{ pipeline: false }, { pipeline: true }])(
  'a write that hits a read-only server is sent to the next one: %o',
  async (part) => {
    const database = openDatabase({ ...patient, ...part })
    await database.run({ text: 'set default_transaction_read_only = on' })
    await database.query({ text: 'create table made (id integer)' })
    expect(await database.query({ text: 'select id from made' })).toEqual([])
    expect(isUsed(second)).toBe(true)
  },
)

test('a statement that hangs on a server that has vanished is sent to another one long before its own timeout', async () => {
  const database = openDatabase({})
  await database.run(one)
  const notifications = await new Promise<Notifications>((resolve) => {
    const started: Notifications = new Notifications({
      connection,
      channel: 'runwright_test',
      onMessage: () => undefined,
      onListening: () => resolve(started),
    })
    started.start()
  })
  first.hold()
  const startedAt = performance.now()
  expect(await database.query(one)).toEqual([{ one: 1 }])
  expect(performance.now() - startedAt).toBeLessThan(12_000)
  await notifications.stop()
})
