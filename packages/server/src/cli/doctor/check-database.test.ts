import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { urlOf } from '../../../test/support/processes.ts'
import { bootstrapKeys } from '../../access/bootstrap.ts'
import { createLogger } from '../../runtime/logger.ts'
import { loadSecrets } from '../../runtime/secrets/secrets.ts'
import { readSettings } from '../../runtime/settings/settings.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { commandLine } from '../output/command-line.ts'
import { checkDatabase } from './check-database.ts'

let folder: string
let fresh: FreshDatabase | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'))
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await fresh?.drop()
  fresh = undefined
})

const settingsOf = (env: Record<string, string>, dataDir = folder) =>
  readSettings({ RUNWRIGHT_DATA_DIR: dataDir, ...env })
const check = (env: Record<string, string> = {}, dataDir?: string) => checkDatabase(settingsOf(env, dataDir))

async function openDatabase(options?: { migrated: boolean }) {
  fresh = await freshDatabase(options)
  return { database: fresh.database, env: { DATABASE_URL: urlOf(fresh.connection) } }
}

const noSecrets = () => ({
  name: 'Secrets',
  status: 'note',
  message: `none in ${folder} yet`,
  advice: 'A start creates them. Keep copies: data cannot be read without them.',
})
const upToDate = { name: 'Database', status: 'ok', message: expect.stringMatching(/^PostgreSQL \d.*, up to date$/) }

test('before the first start there is neither a database nor a secret, and none is created', async () => {
  expect(await check()).toEqual([
    {
      name: 'Database',
      status: 'note',
      message: `none in ${folder} yet`,
      advice: `${commandLine('start')} creates one. Set DATABASE_URL to use your own PostgreSQL.`,
    },
    noSecrets(),
  ])
  expect(['postgres', 'key-pepper'].filter((file) => existsSync(join(folder, file)))).toEqual([])
})

test('a database that cannot be reached is a problem, without its password', async () => {
  const [database] = await check({ DATABASE_URL: 'postgres://runwright:password-1@127.0.0.1:1/runwright' })
  expect(database).toEqual({
    name: 'Database',
    status: 'problem',
    message: expect.stringMatching(/^connect ECONNREFUSED .*\.$/),
    advice: 'Check that DATABASE_URL is right and that PostgreSQL runs there.',
  })
  expect(JSON.stringify(database)).not.toContain('password-1')
})

test('a read-only database is a problem', async () => {
  const { database, env } = await openDatabase()
  const [row] = await database.run<{ name: string }>({ text: 'select current_database() as name' })
  await database.run({ text: `alter database ${row?.name} set default_transaction_read_only = on` })
  expect((await check(env))[0]).toEqual({
    name: 'Database',
    status: 'problem',
    message: expect.stringMatching(/^PostgreSQL \d.* is read-only: it is a standby, or default_transaction_read_only/),
    advice: 'Use the address of the primary in DATABASE_URL, or list all servers in it. Or turn the setting off.',
  })
})

test('a database of another version of Runwright is a problem in one sentence', async () => {
  const { database, env } = await openDatabase()
  await database.run({
    text: "alter table schema_migrations drop column oldest; update schema_migrations set checksum = 'older'",
  })
  expect((await check(env))[0]).toEqual({
    name: 'Database',
    status: 'problem',
    message: expect.stringMatching(/^Migration 001_schema.sql was applied .* or use another database\.$/),
  })
})

test('an empty database names the migrations to apply, and stays empty', async () => {
  const { env } = await openDatabase({ migrated: false })
  const mustMigrate = {
    name: 'Database',
    status: 'note',
    message: expect.stringMatching(/^PostgreSQL \d.*, migrations to apply: 001_schema\.sql/),
    advice: `Run ${commandLine('migrate')}. A start of the service applies them too.`,
  }
  for (const _time of [1, 2]) expect(await check(env)).toEqual([mustMigrate, noSecrets()])
})

test('a database without a valid key is a problem, with the command that creates one', async () => {
  const { env } = await openDatabase()
  expect(await check(env)).toEqual([
    upToDate,
    noSecrets(),
    {
      name: 'API keys',
      status: 'problem',
      message: 'No key is valid.',
      advice: `Create one: ${commandLine('keys create')}`,
    },
  ])
})

test('a database with its secrets and a key is fine', async () => {
  const { database, env } = await openDatabase()
  const secrets = loadSecrets({ dataDir: folder })
  await prepareDatabase(database, secrets)
  const keys = settingsOf({ RUNWRIGHT_BOOTSTRAP_KEYS: 'acme=key_1:0123456789abcdef01234567' }).secrets.bootstrapKeys
  const logger = createLogger({ level: 'silent' })
  await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys, logger })
  expect(await check(env)).toEqual([
    upToDate,
    { name: 'Secrets', status: 'ok', message: 'match the database' },
    { name: 'API keys', status: 'ok', message: 'there is a valid key' },
  ])
})

test('secrets of another installation are a problem', async () => {
  const { database, env } = await openDatabase()
  await prepareDatabase(database, loadSecrets({ dataDir: folder }))
  const other = join(folder, 'other')
  loadSecrets({ dataDir: other })
  expect((await check(env, other))[1]).toEqual({
    name: 'Secrets',
    status: 'problem',
    message: 'The pepper of API keys is not the one of this database.',
    advice: 'Use the RUNWRIGHT_KEY_PEPPER or the data folder of the hosts that share the database.',
  })
})
