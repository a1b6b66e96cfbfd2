// The service owns its database, and can do nothing to the server or the host. Data folders of versions whose service
// was the superuser are changed at the next start.
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startOutdatedPostgres } from '../../../../test/support/outdated-postgres.ts'
import { type ConnectionOptions, Database } from '../../postgres/database.ts'
import { migrate } from '../../postgres/migrate.ts'
import { tryShareUse } from '../advisory-locks.ts'
import { leaveServer, openServer } from '../open-server.ts'
import { prepareBinaries } from '../programs/binaries.ts'
import { prepareSite, type Site } from '../site/site.ts'
import { ensureCluster } from './cluster.ts'
import { ensurePasswordFile, scramVerifier } from './password.ts'
import { roleStatements } from './roles.ts'
import { runSingleUser } from './secure-cluster.ts'

// A test creates a cluster, starts it and starts it again.
vi.setConfig({ testTimeout: 120_000 })

function newSite(): Site {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-test-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return prepareSite(join(folder, '.runwright'))
}

async function open(site: Site) {
  const server = await openServer(site, { report: () => undefined })
  onTestFinished(() => leaveServer(site, server))
  return server
}

async function connect(connection: ConnectionOptions): Promise<Client> {
  const client = new Client(connection).on('error', () => undefined)
  onTestFinished(() => client.end().catch(() => undefined))
  await client.connect()
  return client
}

const rowsOf = async (client: Client, text: string) => (await client.query({ text, rowMode: 'array' })).rows

/** Everything outside of PostgreSQL's own schemas that the superuser owns. */
const ofSuperuser = `
select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = relnamespace
where relowner = 10 and nspname !~ '^(pg_|information_schema)'
union all
select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = pronamespace
where proowner = 10 and nspname !~ '^(pg_|information_schema)'
union all
select t.oid::regtype::text from pg_type t join pg_namespace n on n.oid = typnamespace
where typowner = 10 and nspname !~ '^(pg_|information_schema)'
union all
select nspname from pg_namespace where nspowner = 10 and nspname !~ '^(pg_|information_schema)'`

const refusals: readonly [string, string][] = [
  ['become the superuser', 'set role runwright'],
  ['become the superuser for good', 'alter role current_user superuser'],
  ['read the passwords', 'select * from pg_authid'],
  ['read a file of the host', "select pg_read_file('/etc/hostname')"],
  ['list the files of the host', "select pg_ls_dir('/')"],
  ['see whether a file of the host exists', "select pg_stat_file('/etc/hostname', true)"],
  ['write a file', "copy (select 1) to '/tmp/runwright-role-test'"],
  ['run a program', "copy (select 1) to program 'true'"],
  ['change the server', "alter system set log_statement = 'all'"],
  ['create roles', 'create role other'],
  ['create databases', 'create database other'],
  ['load code', "load '/tmp/x.so'"],
  ['create functions in C', "create function f() returns int language c as 'x'"],
]

async function expectNoRights(client: Client): Promise<void> {
  for (const [what, text] of refusals)
    await expect(client.query(text), what).rejects.toThrow(/permission denied|must be|not allowed/)
}

test('the role of the service owns the database and nothing else, and the superuser cannot connect', async () => {
  const { client, connection } = await open(newSite())
  expect(await rowsOf(client, 'select current_user, session_user')).toEqual([
    ['runwright_service', 'runwright_service'],
  ])
  const attributes = 'rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls'
  expect(await rowsOf(client, `select ${attributes} from pg_roles where rolname = current_user`)).toEqual([
    [false, false, false, false, false],
  ])
  expect(
    await rowsOf(client, 'select roleid::regrole from pg_auth_members where member = current_user::regrole'),
  ).toEqual([])
  await expectNoRights(client)
  const database = new Database({ connection, maxConnections: 1, applicationName: 'runwright test' })
  onTestFinished(() => database.close())
  expect((await migrate(database)).applied).not.toEqual([])
  expect(await rowsOf(client, ofSuperuser)).toEqual([])
  for (const password of [connection.password ?? '', 'guess', 'runwright']) {
    await expect(connect({ ...connection, user: 'runwright', password })).rejects.toThrow(
      'password authentication failed for user "runwright"',
    )
  }
})

/** Objects of every kind that the service or an operator may have created as the superuser. */
const objects = `
create schema extra;
create domain extra.positive as int check (value > 0);
create type mood as enum ('good', 'bad');
create type span as range (subtype = int);
create table extra.kept (id int generated always as identity, old serial, value extra.positive, feeling mood);
create table parted (n int) partition by list (n);
create table part_1 partition of parted for values in (1);
create sequence own_counter;
create view seen as select 1 as one;
create materialized view kept_view as select 1 as one;
create function add(a int, b int) returns int language sql as 'select a + b';
create procedure "Do it"() language sql as 'select 1';
insert into extra.kept (value, feeling) values (7, 'good');`

describe('a data folder of a version whose service was the superuser', () => {
  async function outdated(site: Site) {
    const old = await startOutdatedPostgres(site)
    const database = new Database({ connection: old.connection, maxConnections: 1, applicationName: 'runwright test' })
    await migrate(database)
    await database.close()
    const admin = await connect(old.connection)
    await admin.query(objects)
    expect((await rowsOf(admin, ofSuperuser)).length).toBeGreaterThan(20)
    return { ...old, admin }
  }

  async function expectTakenOver(site: Site): Promise<void> {
    const { client, connection, how } = await open(site)
    expect(how).toBe('started')
    expect(await rowsOf(client, 'select current_user')).toEqual([['runwright_service']])
    expect(await rowsOf(client, ofSuperuser)).toEqual([])
    expect(await rowsOf(client, 'select value, feeling from extra.kept')).toEqual([[7, 'good']])
    // What only an owner can do.
    await client.query('alter table runs add column later int; drop table runs cascade')
    await client.query('alter table extra.kept add column more int; drop schema extra cascade; drop function add')
    await expectNoRights(client)
    await expect(connect({ ...connection, user: 'runwright' })).rejects.toThrow('password authentication failed')
  }

  test('is taken over by the next start, with everything in it', async () => {
    const site = newSite()
    const { process: server, admin } = await outdated(site)
    await admin.end()
    server.kill('SIGINT')
    await once(server, 'exit')
    await expectTakenOver(site)
  })

  test('is refused while that service is running, and taken over if a killed one has left its server running', async () => {
    const site = newSite()
    const { process: server, admin } = await outdated(site)
    const ended = once(server, 'exit')
    expect(await tryShareUse(admin)).toBe(true)
    await expect(openServer(site, { report: () => undefined })).rejects.toThrow(
      `An earlier version of Runwright is running on the data folder ${site.dataDir}. Stop it first.`,
    )
    expect(await rowsOf(admin, 'select current_user')).toEqual([['runwright']])
    await admin.end()
    await expectTakenOver(site)
    await ended
  })
})

test('a start that was killed in the middle of this is completed by the next one', async () => {
  const site = newSite()
  const request = { site, binaries: prepareBinaries(site), report: () => undefined }
  await ensureCluster(request)
  ensurePasswordFile(site)
  const all = roleStatements(scramVerifier('x'))
  for (const done of [1, 3, all.length]) expect(await runSingleUser(request, all.slice(0, done))).toBeUndefined()
  const { client } = await open(site)
  expect(await rowsOf(client, 'select current_user')).toEqual([['runwright_service']])
})
