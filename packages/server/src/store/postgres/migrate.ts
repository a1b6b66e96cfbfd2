// Brings the schema up to date: applies plain SQL files in order, forwards only. Several processes may start at once.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'
import { sleep } from '../../runtime/backoff.ts'
import { createIndexes } from './concurrent-migration.ts'
import type { Database } from './database.ts'

/** The database belongs to a newer or a different Runwright, or a migration is not of a form that can be applied. */
class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

// An arbitrary number that no other advisory lock in the database uses.
const migrationLock = 7_205_201_119
const oldestServer = 150_000
const ownFolder = new URL('../migrations/', import.meta.url)
const lockRetryMs = 100

/** Long enough to rewrite large tables, and to wait for another process that does. */
const migrationTimeoutMs = 6 * 3_600_000

export async function migrate(database: Database, folder: URL = ownFolder): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(folder)
  return database.withConnection(async (client) => {
    await checkServer(client)
    // The common case: everything is applied, and no lock is needed.
    if (pending(migrations, await appliedVersions(client)).length === 0) return { applied: [] }
    const { rows } = await client.query('show statement_timeout')
    await client.query(`set statement_timeout = ${migrationTimeoutMs}`)
    await waitForLock(client)
    try {
      return { applied: await applyPending(client, migrations) }
    } finally {
      await client.query('select pg_advisory_unlock($1)', [migrationLock])
      await client.query(`set statement_timeout = '${rows[0].statement_timeout}'`)
    }
  })
}

/** The names of the migrations that a start would apply. Changes nothing. */
export async function findPendingMigrations(database: Database): Promise<string[]> {
  const migrations = await readMigrations(ownFolder)
  return database.withConnection(async (client) => {
    await checkServer(client)
    return pending(migrations, await appliedVersions(client)).map(({ name }) => name)
  })
}

/** The driver has its own limit. */
const withoutTimeout = (text: string) => ({ text, query_timeout: migrationTimeoutMs + 2_000 })

/**
 * Asks again and again: a statement that waits for the lock would have a snapshot, and a process that creates an index
 * concurrently waits until all older snapshots are gone. The two would wait for each other.
 */
async function waitForLock(client: pg.PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [migrationLock])
    if (rows[0].locked) return
    await sleep(lockRetryMs)
  }
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex').slice(0, 16)
      return { version: Number.parseInt(name, 10), name, sql, checksum }
    }),
  )
}

async function checkServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  )
  if (rows[0].number < oldestServer) {
    throw new SchemaError(`Runwright needs PostgreSQL 15 or newer. This server is version ${rows[0].version}.`)
  }
}

async function appliedVersions(client: pg.PoolClient): Promise<Map<number, string>> {
  const { rows: found } = await client.query("select to_regclass('schema_migrations') is not null as there")
  if (!found[0].there) return new Map()
  const { rows } = await client.query('select version, checksum from schema_migrations')
  return new Map(rows.map((row) => [row.version, row.checksum]))
}

function pending(migrations: readonly Migration[], applied: ReadonlyMap<number, string>): Migration[] {
  const newest = Math.max(0, ...migrations.map((migration) => migration.version))
  const unknown = [...applied.keys()].filter((version) => version > newest)
  if (unknown.length > 0) {
    throw new SchemaError(
      `This database has schema version ${Math.max(...unknown)}; this Runwright supports versions up to ${newest}. Start a newer Runwright.`,
    )
  }
  const changed = migrations.find(({ version, checksum }) => (applied.get(version) ?? checksum) !== checksum)
  if (changed)
    throw new SchemaError(
      `Migration ${changed.name} was applied to this database in a different version. Start the Runwright that created the database, or use another database.`,
    )
  return migrations.filter((migration) => !applied.has(migration.version))
}

async function applyPending(client: pg.PoolClient, migrations: readonly Migration[]): Promise<string[]> {
  const todo = pending(migrations, await appliedVersions(client))
  await client.query(
    'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default clock_timestamp())',
  )
  for (const migration of todo) await applyOne(client, migration)
  return todo.map((migration) => migration.name)
}

async function applyOne(client: pg.PoolClient, migration: Migration): Promise<void> {
  if (migration.name.endsWith('.concurrent.sql')) {
    await createIndexes(migration.sql, (text) => client.query(withoutTimeout(text)))
    return record(client, migration)
  }
  await client.query('begin')
  try {
    await client.query(withoutTimeout(migration.sql))
    await record(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function record(client: pg.PoolClient, { version, name, checksum }: Migration): Promise<void> {
  const text = 'insert into schema_migrations (version, name, checksum) values ($1, $2, $3)'
  await client.query(text, [version, name, checksum])
}
