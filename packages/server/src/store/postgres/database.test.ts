import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { testPostgres } from '../../../test/support/test-postgres.ts'
import { claimSession } from '../run-log/claim-statement.ts'
import { Database } from './database.ts'
import { ServerClient } from './server-client.ts'

const warnings: Error[] = []
const note = (warning: Error) => warnings.push(warning)
process.on('warning', note)
afterEach(() => void process.off('warning', note))

test('every connection has its settings before its first statement, and the driver does not warn', async () => {
  const database = new Database({
    connection: await testPostgres(),
    maxConnections: 2,
    applicationName: 'runwright test',
    session: claimSession,
  })
  const names = Object.keys(claimSession)
  expect(names.length).toBeGreaterThan(1)
  const text = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}, pg_sleep(0.05)`
  const rows = await Promise.all([1, 2].map(() => database.run({ text })))
  await database.close()
  for (const [row] of rows) expect(row).toMatchObject(claimSession)
  expect(warnings.filter(({ name }) => name === 'DeprecationWarning')).toEqual([])
})

test('connect opens all connections, and a database that keeps them does not close them when they are idle', async () => {
  const options = { connection: await testPostgres(), maxConnections: 2, applicationName: `runwright ${randomUUID()}` }
  const watcher = new Database({ ...options, applicationName: 'runwright test' })
  const database = new Database({ ...options, keepsConnections: true })
  await database.connect()
  const text = 'select count(*)::integer as count from pg_stat_activity where application_name = $1'
  expect(await watcher.run({ text, values: [options.applicationName] })).toEqual([{ count: 2 }])
  await Promise.all([database.close(), watcher.close()])
})

test('statements are not compiled, also on a server that does so by default', async () => {
  const fresh = await freshDatabase()
  const name = fresh.connection.database
  await fresh.database.run({ text: `alter database "${name}" set jit = on` })
  const database = new Database({ connection: fresh.connection, maxConnections: 1, applicationName: 'runwright test' })
  const [row] = await database.run({
    text: "select current_setting('jit') as jit, reset_val as default from pg_settings where name = 'jit'",
  })
  await database.close()
  await fresh.drop()
  expect(row).toEqual({ jit: 'off', default: 'on' })
})

const isEmbedded = process.env.TEST_DATABASE_URL === undefined

test('a server that asks for a password that the URL does not have is one sentence at once', async ({ skip }) => {
  skip(!isEmbedded, 'the server of TEST_DATABASE_URL may not ask for a password')
  const { password: _, ...connection } = await testPostgres()
  const database = new Database({ connection, maxConnections: 1, applicationName: 'runwright test' })
  const sentence = /^PostgreSQL at \S+ asks for a password, and DATABASE_URL has none\. Write it as postgres:/
  await expect(database.query({ text: 'select 1' })).rejects.toThrow(sentence)
  await database.close()
  const client = new ServerClient({}, { name: 'here', connection })
  await expect(client.connect()).rejects.toThrow('PostgreSQL at here asks for a password')
  const { stream } = (client as unknown as { connection: { stream: { destroyed: boolean } } }).connection
  expect(stream.destroyed).toBe(true)
})
