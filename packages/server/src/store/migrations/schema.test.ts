// The schema refuses rows that no statement of ours would write.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { RunCreator } from '../run-log/run-creator.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  const run = newRun()
  await new RunCreator(fresh.database, () => undefined).create(run)
  await fresh.database.run({
    text: `
insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
values ('acme', '${run.id}', 2, 1, 'run.cancelled', true, false, now(), '{}');
insert into usage_rows (run_id, key, customer_id, event_type, quantity, at)
values ('${run.id}', 'k', 'acme', 'tool.invoked', 1, now())`,
  })
})
afterAll(() => fresh.drop())

const lease = "worker_id = gen_random_uuid(), lease_until = now(), ready_at = null, state = 'running'"
const wait =
  "state = 'awaiting_input', ready_at = null, await_seq = 1, await_until = now(), wait = '{}', wait_content = '{}'"

test.each([
  ['runs', lease],
  ['runs', wait],
  ['runs', "state = 'succeeded', ready_at = null"],
  ['run_inputs', "sealed = '\\x00', sealed_key = 1"],
])('%s may have %s', async (table, change) => {
  await fresh.database.run({ text: `begin; update ${table} set ${change}; rollback` })
})

test.each([
  ['run_class_check', 'runs', "run_class = 'huge'"],
  ['run_state_check', 'runs', "state = 'lost', ready_at = null"],
  ['counter_check', 'runs', 'epoch = -1'],
  ['ordinal_check', 'runs', 'attempt = 0'],
  ['ordinal_check', 'runs', 'next_seq = 0'],
  ['token_count_check', 'runs', 'tokens = -1'],
  ['counter_check', 'runs', 'recoveries = -1'],
  ['lease_is_whole', 'runs', lease.replace('lease_until = now(), ', '')],
  ['lease_while_running', 'runs', lease.replace('running', 'stalled')],
  ['leased_is_not_ready', 'runs', lease.replace('ready_at = null', 'ready_at = now()')],
  ['ready_where_claimable', 'runs', "state = 'failed'"],
  ['queued_is_ready', 'runs', 'ready_at = null'],
  ['wait_is_whole', 'runs', wait.replace('await_seq = 1, ', '')],
  ['wait_is_whole', 'runs', wait.replace('await_until = now(), ', '')],
  ['wait_is_whole', 'runs', wait.replace(", wait = '{}'", '')],
  ['wait_is_whole', 'runs', wait.replace(", wait_content = '{}'", '')],
  ['wait_is_whole', 'runs', wait.replace('awaiting_input', 'running')],
  ['time_goes_on', 'runs', "updated_at = created_at - interval '1 ms'"],
  ['sha256_hash_check', 'run_inputs', "body_hash = '\\x00'"],
  ['token_limit_check', 'run_inputs', 'token_limit = 0'],
  ['seconds_check', 'run_inputs', 'duration_seconds = 0'],
  ['seconds_check', 'run_inputs', 'signal_timeout_seconds = 0'],
  ['sealed_is_whole', 'run_inputs', 'sealed_key = 1'],
  ['sealed_is_whole', 'run_inputs', "sealed = '\\x00'"],
  ['event_rows_seq_check', 'event_rows', 'seq = 0'],
  ['usage_rows_event_type_check', 'usage_rows', "event_type = 'unknown'"],
  ['usage_rows_quantity_check', 'usage_rows', 'quantity = -1'],
])('%s: %s may not have %s', async (constraint, table, change) => {
  const refused = fresh.database.run({ text: `update ${table} set ${change}` })
  await expect(refused).rejects.toMatchObject({ code: '23514', constraint })
})

test('a run ends once per attempt', async () => {
  const again =
    'insert into event_rows select customer_id, run_id, 3, attempt, type, terminal, redacted, folded, at, payload from event_rows'
  await expect(fresh.database.run({ text: again })).rejects.toMatchObject({
    code: '23505',
    constraint: 'events_one_end',
  })
})

test('every table has a primary key, or a replica identity: logical replication needs one', async () => {
  const without = await fresh.database.query({
    text: `
select relname
from pg_class c
where relnamespace = 'public'::regnamespace and relkind = 'r' and relreplident <> 'f'
  and not exists (select from pg_index where indrelid = c.oid and indisprimary)`,
  })
  expect(without).toEqual([])
})

test('customers are compared by the bytes of their ids, in every table', async () => {
  const columns = await fresh.database.query<{ collation: string }>({
    text: `
select distinct l.collname as collation
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_collation l on l.oid = a.attcollation
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
  and (a.attname = 'customer_id' or (c.relname = 'customers' and a.attname = 'id'))`,
  })
  expect(columns).toEqual([{ collation: 'C' }])
})

test('every table with data of a run has the customer first in its primary key and its unique keys', async () => {
  const keys = await fresh.database.query<{ table: string; key: string; first: string }>({
    text: `
select c.relname as table, k.relname as key, a.attname as first
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_class k on k.oid = i.indexrelid
join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
where i.indisunique and c.relnamespace = 'public'::regnamespace
  and exists (select from pg_attribute where attrelid = c.oid and attname in ('run_id', 'idempotency_key'))`,
  })
  const tables = [
    'runs',
    'run_inputs',
    'run_results',
    'event_rows',
    'journal',
    'turns',
    'signals',
    'votes',
    'usage_rows',
    'memory_items',
    'webhook_deliveries',
    'audit_queue',
  ]
  expect(new Set(keys.map(({ table }) => table))).toEqual(new Set(tables))
  expect(keys.filter(({ first }) => first !== 'customer_id')).toEqual([])
})
