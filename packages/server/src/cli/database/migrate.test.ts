import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { Terminal } from '../../../test/support/cli.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { urlOf } from '../../../test/support/processes.ts'
import { findPendingMigrations } from '../../store/postgres/migrate.ts'
import { migrateCommand } from './migrate.ts'

let folder: string
let fresh: FreshDatabase
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrate-'))
  fresh = await freshDatabase({ migrated: false })
  return async () => {
    rmSync(folder, { recursive: true })
    await fresh.drop()
  }
})

async function migrate(args: readonly string[] = [], dataDir = folder): Promise<string> {
  const pipe = new Terminal({}, { isTTY: false })
  const env = { DATABASE_URL: urlOf(fresh.connection), RUNWRIGHT_DATA_DIR: dataDir }
  await migrateCommand(pipe, env).parseAsync([...args], { from: 'user' })
  return pipe.output
}

test('creates the schema and says which migrations it applied; a second time there is nothing to do', async () => {
  expect(await migrate()).toMatch(/^Applied 001_schema\.sql.*\.\n$/)
  expect(await findPendingMigrations(fresh.database)).toEqual([])
  expect(await migrate()).toBe('The database is up to date.\n')
})

test('as JSON, the list of migrations', async () => {
  expect(JSON.parse(await migrate(['--json'])).applied[0]).toBe('001_schema.sql')
  expect(JSON.parse(await migrate(['--json']))).toEqual({ applied: [] })
})

test('refuses a database that belongs to other secrets', async () => {
  await migrate()
  await expect(migrate([], join(folder, 'other'))).rejects.toThrow(/RUNWRIGHT_KEY_PEPPER/)
})
