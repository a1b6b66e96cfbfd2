// A new PostgreSQL takes over from an old one, as docs/upgrading.md says, while a service is under load: no request
// is lost, and the new server has what the old one had.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SUPERUSER } from '../../src/store/embedded/cluster/roles.ts'
import type { Site } from '../../src/store/embedded/site/site.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import { forgetCustomer } from '../../src/store/run-log/forget-customer.ts'
import { end, socketFolder, startServer, twoClusters, urlOf } from '../support/bare-postgres.ts'
import { seedCustomer } from '../support/customer-rows.ts'
import { type Bench, outline, scripted, startBench } from '../support/engine.ts'

const names = { user: 'runwright_app', database: 'runwright' }
const settings = { wal_level: 'logical', fsync: 'off' }

let folder: string
let sites: [Site, Site]
let servers: Awaited<ReturnType<typeof startServer>>[]
/** Those of the superuser, by the names that the guide uses. */
let admin: { readonly old: Database; readonly new: Database }
let bench: Bench

const open = (connectionString: string, maxConnections = 1) =>
  new Database({ connection: { connectionString }, maxConnections, applicationName: 'test' })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rw-'))
  sites = await twoClusters(folder)
  servers = await Promise.all(sites.map((site) => startServer(site, settings)))
  for (const site of sites) await prepareServer(site)
  const [old, next] = sites.map((site) => open(urlOf([site], { user: SUPERUSER, database: names.database })))
  admin = { old: old as Database, new: next as Database }
})
afterAll(async () => {
  await bench?.stop()
  await Promise.all([admin?.old.close(), admin?.new.close()])
  for (const server of servers ?? []) await end(server, 'SIGQUIT')
  await rm(folder, { recursive: true, force: true })
})

/** A database that belongs to the role of the service, with its tables. */
async function prepareServer(site: Site): Promise<void> {
  const server = open(urlOf([site]))
  await server.run({ text: `create role ${names.user} login` })
  await server.run({ text: `create database ${names.database} owner ${names.user}` })
  await server.close()
  const database = open(urlOf([site], names), 2)
  await migrate(database)
  await database.close()
}

const page = readFileSync(new URL('../../../../docs/upgrading.md', import.meta.url), 'utf8')

/** The statements of the guide, in order, each with the server that it is for. */
const steps = [...page.matchAll(/^ {3}```sql (old|new)\n([\s\S]*?)^ {3}```$/gm)].map(([, server, text = '']) => ({
  database: () => admin[server as 'old' | 'new'],
  statements: text
    .split(';\n')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== ''),
}))

/** With the names of this test. */
const adapted = (statement: string) =>
  statement
    .replace(
      'host=old dbname=runwright user=postgres',
      `host=${socketFolder(sites[0])} dbname=runwright user=${SUPERUSER}`,
    )
    .replace(/role runwright\b/g, `role ${names.user}`)
    .replace("usename = 'runwright'", `usename = '${names.user}'`)

async function execute(step: number): Promise<unknown[]> {
  const { database, statements } = steps[step] ?? { statements: [] }
  const rows = []
  for (const statement of statements) rows.push(...((await database?.().run({ text: adapted(statement) })) ?? []))
  return rows
}

/** Executes a question of the guide until its answer is 0. */
const untilZero = (step: number) =>
  expect
    .poll(async () => Object.values((await execute(step))[0] as object).map(Number), { timeout: 60_000 })
    .toEqual([0])

/** The count of the rows of each table, and a sum over their contents. */
async function digests(database: Database): Promise<Record<string, string>> {
  const tables = await database.run<{ name: string }>({
    text: "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  })
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await database.run<{ digest: string }>({
      text: `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as digest from ${name} t`,
    })
    found[name] = row?.digest ?? ''
  }
  return found
}

/** Nothing in this test writes to them, or what it writes is soon taken out again. */
const mayBeEmpty = [
  ...['agent_sets', 'mcp_tools', 'schedules', 'webhooks', 'secret_fingerprints', 'job_times', 'service_minutes'],
  ...['audit_queue', 'usage_deltas'],
]

/** Creates runs one after another, as a client that repeats what was not acknowledged, until told to stop. */
function keepCreating() {
  const acknowledged: string[] = []
  let isStopped = false
  const work = async () => {
    for (let n = 0; !isStopped; ) {
      const reply = await bench.acme.create(scripted([{ say: 'done' }]), { 'idempotency-key': `run-${n}` })
      if (reply.status === 503) continue
      expect([200, 201]).toContain(reply.status)
      acknowledged.push(reply.json<{ id: string }>().id)
      n += 1
    }
  }
  const working = work()
  return {
    acknowledged,
    until: (count: number) => expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(count),
    stop: () => {
      isStopped = true
      return working
    },
  }
}

test('the guide names every sequence', async () => {
  const columns = await admin.old.run<{ name: string }>({
    text: `
select format('(''%s'', ''%s'')', attrelid::regclass, attname) as name
from pg_attribute
where attidentity <> ''`,
  })
  const last = steps.at(-1)?.statements.filter((statement) => statement.includes('setval')) ?? []
  expect(last).toHaveLength(columns.length)
  for (const { name } of columns) expect(last.filter((statement) => statement.includes(name))).toHaveLength(1)
})

test('the new server has everything when it takes over, and no acknowledged run is lost', async () => {
  expect(steps).toHaveLength(6)
  const own = { connectionString: urlOf(sites, names) }
  const database = new Database({ connection: { ...own }, maxConnections: 4, applicationName: 'runwright test' })
  await seedCustomer(database, 'seeded', 3)
  bench = await startBench({}, { host: { connection: own, database, drop: () => database.close() } })
  const client = keepCreating()
  await execute(0)
  await execute(1)
  await client.until(5)
  await untilZero(2)
  await client.until(client.acknowledged.length + 5)
  await execute(3)
  await untilZero(4)
  const [old, next] = [await digests(admin.old), await digests(admin.new)]
  expect(next).toEqual(old)
  const empty = Object.keys(old).filter((table) => old[table]?.startsWith('0 '))
  expect(empty.filter((table) => !mayBeEmpty.includes(table))).toEqual([])
  const before = client.acknowledged.length
  await execute(5)
  await client.until(before + 5)
  await client.stop()
  for (const id of client.acknowledged) expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')
  expect(await digests(admin.old)).toEqual(old)
  // Its rows are no runs that a service has left.
  await forgetCustomer(database, 'seeded')
})
