import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Database } from './database.ts'
import { migrate } from './migrate.ts'

test('a start waits for another one that migrates, longer than the statement timeout', async () => {
  const fresh = await freshDatabase({ migrated: false })
  const hasty = new Database({
    connection: fresh.connection,
    maxConnections: 1,
    applicationName: 'runwright test',
    statementTimeoutMs: 200,
  })
  try {
    const [first, second] = await fresh.database.withConnection(async (client) => {
      await client.query('select pg_advisory_lock(7205201119)')
      const starts = [migrate(hasty), migrate(fresh.database)]
      await client.query('select pg_sleep(2.5)')
      await client.query('select pg_advisory_unlock(7205201119)')
      return Promise.all(starts)
    })
    await expect(hasty.run({ text: 'select pg_sleep(1)' })).rejects.toMatchObject({ code: '57014' })
    expect([...(first?.applied ?? []), ...(second?.applied ?? [])]).toContain('001_schema.sql')
    expect(first?.applied.length === 0 || second?.applied.length === 0).toBe(true)
  } finally {
    await hasty.close()
    await fresh.drop()
  }
})

describe('a database is refused', () => {
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase()
  })
  afterAll(() => fresh.drop())

  const newer = (oldest: number) =>
    `insert into schema_migrations (version, name, checksum, oldest) values (999, '999_later.sql', 'x', ${oldest})`
  const forget = 'delete from schema_migrations where version = 999'

  const afterChange = async (change: string, undo: string) => {
    await fresh.database.run({ text: change })
    try {
      return await migrate(fresh.database)
    } finally {
      await fresh.database.run({ text: undo })
    }
  }

  test('when its schema is newer', async () => {
    await expect(afterChange(newer(999), forget)).rejects.toThrow(
      /schema version 999; this Runwright supports versions up to \d+\. Start a newer Runwright\.$/,
    )
  })

  test('not when all that is newer works with this version', async () => {
    expect(await afterChange(newer(1), forget)).toEqual({ applied: [] })
  })

  test('when a migration was applied in another form', async () => {
    const changed = "update schema_migrations set checksum = checksum || 'x' where version = 1"
    const undo = 'update schema_migrations set checksum = left(checksum, -1) where version = 1'
    await expect(afterChange(changed, undo)).rejects.toThrow(/^Migration 001_schema\.sql was applied/)
  })

  test('when an older Runwright created it, whose table of migrations has fewer columns', async () => {
    const older = "alter table schema_migrations drop column oldest; update schema_migrations set checksum = 'older'"
    const other = await freshDatabase()
    try {
      await other.database.run({ text: older })
      await expect(migrate(other.database)).rejects.toThrow(/^Migration 001_schema\.sql was applied/)
      await other.database.run({ text: 'drop table schema_migrations; create table schema_migrations (version text)' })
      await other.database.run({ text: "insert into schema_migrations values ('20241118')" })
      await expect(migrate(other.database)).rejects.toThrow(/^This database has schema version 20241118/)
    } finally {
      await other.drop()
    }
  })

  test('when its server is too old', async () => {
    const other = await freshDatabase()
    const [row] = await other.database.run<{ name: string }>({ text: 'select current_database() as name' })
    // As if the server were older: its own function is found first.
    await other.database.run({
      text: `create schema older;
        create function older.current_setting(name text) returns text language sql as $$
          select case name when 'server_version_num' then '140011' when 'server_version' then '14.11' end $$;
        alter database ${row?.name} set search_path = older, pg_catalog, public`,
    })
    try {
      await expect(migrate(other.open(1))).rejects.toThrow(
        'Runwright needs PostgreSQL 15 or newer. This server is version 14.11.',
      )
    } finally {
      await other.drop()
    }
  })

  test('only then: a second start has nothing to do', async () => {
    expect(await migrate(fresh.database)).toEqual({ applied: [] })
  })
})
