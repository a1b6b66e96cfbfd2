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

export const isSchemaError = (error: unknown): error is SchemaError => error instanceof SchemaError

interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
  /** The oldest schema version whose Runwright works on a database with this migration. */
  readonly oldest: number
}

/** A migration of this database. */
interface Applied {
  readonly checksum: string
  readonly oldest: number
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

/** The schema version of the database, if it is newer than this Runwright. */
export async function findNewerSchema(database: Database): Promise<number | undefined> {
  const migrations = await readMigrations(ownFolder)
  const applied = await database.withConnection(appliedVersions)
  return [...applied.keys()].filter((version) => version > newestOf(migrations)).sort((a, b) => b - a)[0]
}

const newestOf = (migrations: readonly Migration[]): number => Math.max(0, ...migrations.map(({ version }) => version))

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
      const version = Number.parseInt(name, 10)
      return { version, name, sql, checksum, oldest: readOldest(sql) ?? version }
    }),
  )
}

/** From the line `-- works with: 3`, if there is one. */
function readOldest(sql: string): number | undefined {
  const found = /^-- works with: (\d{1,9})$/m.exec(sql)?.[1]
  return found === undefined ? undefined : Number(found)
}

async function checkServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  )
  if (rows[0].number < oldestServer) {
    throw new SchemaError(`Runwright needs PostgreSQL 15 or newer. This server is version ${rows[0].version}.`)
  }
}

async function appliedVersions(client: pg.PoolClient): Promise<Map<number, Applied>> {
  const { rows: found } = await client.query("select to_regclass('schema_migrations') is not null as there")
  if (!found[0].there) return new Map()
  // As JSON: the table of an older Runwright, or of another program, may not have all columns.
  const { rows } = await client.query('select to_jsonb(m) as migration from schema_migrations m')
  return new Map(rows.map(({ migration }) => toApplied(migration)))
}

function toApplied(migration: Readonly<Record<string, unknown>>): [number, Applied] {
  const version = Number(migration.version)
  return [version, { checksum: String(migration.checksum ?? ''), oldest: Number(migration.oldest ?? version) }]
}

function pending(migrations: readonly Migration[], applied: ReadonlyMap<number, Applied>): Migration[] {
  const newest = newestOf(migrations)
  // A newer version runs beside this one, or did: while hosts are replaced, a process of this one may start again.
  const tooNew = [...applied].filter(([version, { oldest }]) => version > newest && oldest > newest)
  if (tooNew.length > 0) {
    const version = Math.max(...applied.keys())
    throw new SchemaError(
      `This database has schema version ${version}; this Runwright supports versions up to ${newest}. Start a newer Runwright.`,
    )
  }
  const isChanged = ({ version, checksum }: Migration) => (applied.get(version)?.checksum ?? checksum) !== checksum
  const changed = migrations.find(isChanged)
  if (changed)
    throw new SchemaError(
      `Migration ${changed.name} was applied to this database in a different version. Start the Runwright that created the database, or use another database.`,
    )
  return migrations.filter((migration) => !applied.has(migration.version))
}

async function applyPending(client: pg.PoolClient, migrations: readonly Migration[]): Promise<string[]> {
  const todo = pending(migrations, await appliedVersions(client))
  await client.query(
    `create table if not exists schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  oldest integer not null,
  applied_at timestamptz not null default clock_timestamp()
)`,
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

async function record(client: pg.PoolClient, { version, name, checksum, oldest }: Migration): Promise<void> {
  const text = 'insert into schema_migrations (version, name, checksum, oldest) values ($1, $2, $3, $4)'
  await client.query(text, [version, name, checksum, oldest])
}
