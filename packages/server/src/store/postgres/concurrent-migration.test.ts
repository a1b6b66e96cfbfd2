import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { migrate } from './migrate.ts'

const schema = 'create table notes (id integer, title text); insert into notes values (1, null);'
const index = `
-- Find notes by title; a note has one id.
create index concurrently if not exists notes_by_title on notes (title);
create unique index concurrently if not exists notes_by_id on notes (id);
`

let fresh: FreshDatabase
let path: string
let folder: URL
beforeEach(async () => {
  fresh = await freshDatabase({ migrated: false })
  path = await mkdtemp(join(tmpdir(), 'runwright-migrations-'))
  folder = pathToFileURL(`${path}/`)
  await addMigration('001_notes.sql', schema)
  await migrate(fresh.database, folder)
  await addMigration('002_index.concurrent.sql', index)
})
afterEach(async () => {
  await fresh.drop()
  await rm(path, { recursive: true })
})

const addMigration = (name: string, sql: string) => writeFile(join(path, name), sql)
const run = (text: string) => fresh.database.run({ text })
const indexes = () =>
  run(`
select c.relname as name, i.indisvalid as valid
from pg_index i
join pg_class c on c.oid = i.indexrelid
where i.indrelid = 'notes'::regclass
order by 1`)
const complete = [
  { name: 'notes_by_id', valid: true },
  { name: 'notes_by_title', valid: true },
]

test('indexes are created while the table is being written', async () => {
  const writer = fresh.open(1)
  const migrating = await writer.transaction(async (client) => {
    await client.query('insert into notes values (2, null)')
    const started = migrate(fresh.database, folder)
    const isCreating = "select from pg_stat_activity where query like 'create index%' and wait_event_type = 'Lock'"
    await expect.poll(() => run(isCreating)).toHaveLength(1)
    // A plain `create index` would wait for the first writer and make this one wait.
    await run("set lock_timeout = '1s'; insert into notes values (3, null)")
    return { started }
  })
  expect(await migrating.started).toEqual({ applied: ['002_index.concurrent.sql'] })
  expect(await indexes()).toEqual(complete)
})

test('a migration that failed is continued, and its unfinished index is replaced', async () => {
  await run('insert into notes values (1, null)')
  await expect(migrate(fresh.database, folder)).rejects.toThrow(/could not create unique index "notes_by_id"/)
  expect(await indexes()).toContainEqual({ name: 'notes_by_id', valid: false })
  await run('delete from notes where ctid = (select max(ctid) from notes)')
  expect(await migrate(fresh.database, folder)).toEqual({ applied: ['002_index.concurrent.sql'] })
  expect(await indexes()).toEqual(complete)
  expect(await migrate(fresh.database, folder)).toEqual({ applied: [] })
})

test('an index that is complete is not created again', async () => {
  await migrate(fresh.database, folder)
  await run('delete from schema_migrations where version = 2')
  const before = await run("select 'notes_by_id'::regclass::oid as oid")
  expect(await migrate(fresh.database, folder)).toEqual({ applied: ['002_index.concurrent.sql'] })
  expect(await run("select 'notes_by_id'::regclass::oid as oid")).toEqual(before)
})

test('processes that start at the same time do not wait for each other forever', async () => {
  const others = Array.from({ length: 4 }, () => fresh.open(1))
  const results = await Promise.all(others.map((database) => migrate(database, folder)))
  expect(results.flatMap(({ applied }) => applied)).toEqual(['002_index.concurrent.sql'])
  expect(await indexes()).toEqual(complete)
})

test.each([
  'create index notes_by_title on notes (title);',
  'create index concurrently notes_by_title on notes (title);',
  'alter table notes add body text;',
])('a concurrent migration with "%s" is refused before anything is done', async (statement) => {
  await addMigration('002_index.concurrent.sql', `${index}${statement}\n`)
  await expect(migrate(fresh.database, folder)).rejects.toThrow(/^A concurrent migration may only have statements/)
  expect(await indexes()).toEqual([])
})
