// What is evidence that a server does not answer, and what is not.
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { blockLoop, keepBusy } from '../../../test/support/busy-loop.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { startLine } from '../../../test/support/line.ts'
import { sleep } from '../../runtime/backoff.ts'
import { Database } from './database.ts'
import { isBusy, isServerAway, PoolFullError } from './errors.ts'
import { ServerSilence } from './server-silence.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

function openShort(connection = fresh.connection, connectTimeoutMs = 300): Database {
  const database = new Database({
    connection,
    maxConnections: 1,
    applicationName: 'runwright test',
    connectTimeoutMs,
  })
  onTestFinished(() => database.close().catch(() => undefined))
  return database
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a server is silent', () => {
  test('when nothing was heard while the event loop had nothing else to do', async () => {
    const silence = new ServerSilence({ answeredAt: performance.now() - 1 })
    await sleep(300)
    expect(silence.isCertain).toBe(true)
  })

  test('not when the event loop was busy', () => {
    const silence = new ServerSilence({ answeredAt: performance.now() - 1 })
    blockLoop(300)
    expect(silence.isCertain).toBe(false)
  })

  test('not when it answered meanwhile', async () => {
    const server = { answeredAt: 0 }
    const silence = new ServerSilence(server)
    await sleep(300)
    server.answeredAt = performance.now()
    expect(silence.isCertain).toBe(false)
  })
})

describe('a statement that got no connection in time', () => {
  test('blames a process that is too busy to open one', async () => {
    const error = await keepBusy(400, failureOf(openShort().run({ text: 'select 1' })))
    expect([isBusy(error), isServerAway(error)]).toEqual([true, false])
  })

  test('blames a process whose connections are in use, as long as the server answers others', async () => {
    const database = openShort()
    const error = await database.withConnection(async (client) => {
      await client.query('select 1')
      const waiting = failureOf(database.run({ text: 'select 1' }))
      await fresh.database.run({ text: 'select pg_sleep(0.2)' })
      return waiting
    })
    expect([isBusy(error), isServerAway(error)]).toEqual([true, false])
  })

  test('blames a process whose connections are in use, also if nobody else has asked the server', async () => {
    const database = openShort({ ...fresh.connection })
    const error = await database.withConnection(() => failureOf(database.run({ text: 'select 1' })))
    expect(error).toBeInstanceOf(PoolFullError)
    expect(String(error)).toBe('PoolFullError: no connection to the database was free in time')
    expect([isBusy(error), isServerAway(error)]).toEqual([true, false])
  })

  test('blames a server that does not answer a connection in use, nor a new one', async () => {
    const line = await startLine(fresh.connection)
    const database = openShort({ ...line.connection })
    const error = await database.withConnection(async (client) => {
      await client.query('select 1')
      line.hold()
      return failureOf(database.run({ text: 'select 1' }))
    })
    line.release()
    await line.close()
    expect(error).not.toBeInstanceOf(PoolFullError)
    expect(String(error)).toBe('DatabaseUnavailableError: the database cannot be reached')
    expect(isBusy(error)).toBe(false)
  })

  test('blames a server that accepts connections and says nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const error = await failureOf(openShort({ host: '127.0.0.1', port, user: 'a' }, 1_000).run({ text: 'select 1' }))
    server.close()
    expect([isBusy(error), isServerAway(error)]).toEqual([false, true])
  })
})

test('a statement is tried again after one timeout, however long that took: the process may have been paused', async () => {
  // Long enough for a busy machine to open the one connection.
  const database = openShort(fresh.connection, 1_000)
  const gate = new EventEmitter()
  const hold = database.withConnection(() => once(gate, 'open'))
  const answer = database.query({ text: 'select 1 as one' }, { ms: 0, ambiguousMs: 0 })
  await sleep(1_010)
  gate.emit('open')
  await hold
  expect(await answer).toEqual([{ one: 1 }])
})
