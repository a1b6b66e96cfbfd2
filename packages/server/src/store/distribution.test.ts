// What a database that is distributed by customer, such as Citus, could not do on one node. The schema must allow it,
// and every statement that does not name one customer is listed here with what it is for.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { sqlTextsIn } from '../../test/support/sql-texts.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** Small tables that every node would have a copy of, and tables of processes, not of customers. */
const notDistributed = [
  ...['customers', 'api_keys', 'console_sessions', 'agent_sets', 'mcp_tools', 'secret_fingerprints'],
  ...['data_keys', 'data_key_wraps', 'workers', 'job_times', 'service_minutes', 'schema_migrations'],
]

const distributedTables = async () =>
  (
    await fresh.database.query<{ name: string; has_customer: boolean }>({
      text: `
select c.relname as name,
  exists (select from pg_attribute where attrelid = c.oid and attname = 'customer_id') as has_customer
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
    })
  ).filter(({ name }) => !notDistributed.includes(name))

test('every other table has the customer', async () => {
  const tables = await distributedTables()
  expect(tables.length).toBeGreaterThan(12)
  expect(tables.filter(({ has_customer }) => !has_customer)).toEqual([])
})

test('their keys begin with the customer, and their references stay within a customer', async () => {
  const names = (await distributedTables()).map(({ name }) => name)
  const keys = await fresh.database.query<{ name: string; first: string }>({
    text: `
select k.relname as name, a.attname as first
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_class k on k.oid = i.indexrelid
join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
where i.indisunique and c.relname = any($1)`,
    values: [names],
  })
  expect(keys.filter(({ first }) => first !== 'customer_id')).toEqual([])
  const references = await fresh.database.query<{ name: string }>({
    text: `
select f.conname as name
from pg_constraint f
join pg_class c on c.oid = f.conrelid
join pg_class target on target.oid = f.confrelid
where f.contype = 'f' and c.relname = any($1) and target.relname = any($1)
  and not exists (select from pg_attribute where attrelid = c.oid and attnum = f.conkey[1] and attname = 'customer_id')`,
    values: [names],
  })
  expect(references).toEqual([])
})

/** Files with statements whose text does not name one customer. */
const listed: Readonly<Record<string, string>> = {
  'audit/chain-acts.ts': 'upkeep',
  'audit/entries.ts': 'the parts of the statement name the customer',
  'erasure/export.ts': 'the parts of the statement name the customer',
  'memory/archive.ts': 'upkeep',
  'memory/pgvector.ts': 'the parts of the statement name the customer',
  'requests/kept-answers.ts': 'upkeep',
  'run-log/batches.ts': 'upkeep',
  'run-log/change-statement.ts': 'a batch of rows, each with its customer',
  'run-log/claim-statement.ts': 'claims',
  'run-log/create-statement.ts': 'a batch of rows, each with its customer',
  'run-log/remove-runs.ts': 'a batch of rows, each with its customer',
  'run-log/remove-statement.ts': 'a batch of rows, each with its customer',
  'run-log/removed-keys.ts': 'upkeep',
  'run-log/renewal.ts': 'the leases of a worker',
  'run-log/run-claimer.ts': 'the leases of a worker',
  'run-log/trim-statement.ts': 'upkeep',
  'run-log/waiting-statement.ts': 'claims',
  'runs/due-work.ts': 'sweeps',
  'runs/ended-runs.ts': 'a batch of rows, each with its customer',
  'runs/events.ts': 'a batch of rows, each with its customer',
  'runs/fleet-counts.ts': 'metrics',
  'runs/overdue-runs.ts': 'sweeps',
  'runs/queue.ts': 'health',
  'runs/run-counts.ts': 'the parts of the statement name the customer',
  'runs/run-list.ts': 'the parts of the statement name the customer',
  'runs/workers.ts': 'health',
  'schedules/due-schedules.ts': 'schedules that are due, and a batch of rows, each with its customer',
  'schedules/sealed-bodies.ts': 'the rotation of the encryption key',
  'sealed/values.ts': 'the rotation of the encryption key',
  'turns/finished-run.ts': 'a command of the operator',
  'usage/audit.ts': 'the parts of the statement name the customer',
  'usage/budgets.ts': 'the parts of the statement name the customer',
  'usage/differences.ts': 'the parts of the statement name the customer',
  'usage/fold.ts': 'upkeep',
  'usage/hours.ts': 'upkeep',
  'usage/levels.ts': 'the parts of the statement name the customer',
  'usage/model-tokens.ts': 'the parts of the statement name the customer',
  'usage/months.ts': 'a command of the operator',
  'usage/records.ts': 'the parts of the statement name the customer',
  'usage/terms.ts': 'the parts of the statement name the customer',
  'usage/verify.ts': 'a command of the operator',
  'webhooks/claim-deliveries.ts': 'claims',
  'webhooks/finish-deliveries.ts': 'a batch of rows, each with its customer',
  'webhooks/mail-webhooks.ts': 'the settings of the operator',
  'webhooks/note-mails.ts': 'a batch of rows, each with its customer',
  'webhooks/old-deliveries.ts': 'upkeep',
  'webhooks/sealed-secrets.ts': 'the rotation of the encryption key',
}

/** `rowsOf` takes the customer from `$1`. */
const namesCustomer = /customer_id = \$\d|customer_id': '\$\d|customer_id = any|\$\{rowsOf\(/
const statements = sqlTextsIn(import.meta.dirname)

test('a statement names its customer, or is listed', async () => {
  const views = ['events', 'usage_records', 'counted_usage']
  const names = [...(await distributedTables()).map(({ name }) => name), ...views]
  const reads = new RegExp(`\\b(?:from|join|update|using)\\s+(?:${names.join('|')})\\b`)
  expect(statements.length).toBeGreaterThan(80)
  const others = statements.filter(({ text }) => reads.test(text) && !namesCustomer.test(text))
  expect([...new Set(others.map(({ file }) => file))]).toEqual(Object.keys(listed))
})

test('no statement depends on where a row is stored', () => {
  expect(statements.filter(({ text }) => /\bctid\b/.test(text)).map(({ file }) => file)).toEqual([])
})
