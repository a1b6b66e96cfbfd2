// Checks move from tables to types without a table being written anew: the largest ones are among them.
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'

const folder = new URL('../migrations/', import.meta.url)
const file = '008_checked_types.sql'
const id = '019a0000-0000-7000-8000-000000000001'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase({ migrated: false })
  const earlier = (await readdir(folder)).filter((name) => name.endsWith('.sql') && name < file).sort()
  for (const name of earlier) await apply(name)
  await fresh.database.run({
    text: `
insert into runs (id, customer_id, run_class, state, next_seq, ready_at, request_id, idempotency_key, created_at, updated_at, deadline_at)
values ('${id}', 'acme', 'long', 'queued', 2, now(), 'req', 'key', now(), now(), now());
insert into run_inputs (run_id, customer_id, body_hash, input, metadata, routing, token_limit, duration_seconds, signal_timeout_seconds)
values ('${id}', 'acme', decode(repeat('00', 32), 'hex'), '{}', '{}', '{}', 1, 0.5, 1)`,
  })
})
afterAll(() => fresh.drop())

const apply = async (name: string) => fresh.database.run({ text: await readFile(new URL(name, folder), 'utf8') })

const filesOfTables = () =>
  fresh.database.run({
    text: `
select relname, pg_relation_filenode(oid) as file
from pg_class
where relname in ('runs', 'run_inputs')
order by relname`,
  })

test('tables stay the files they were, with what stands in them, and a column has one check', async () => {
  const before = await filesOfTables()
  await apply(file)
  expect(await filesOfTables()).toEqual(before)
  const [run] = await fresh.database.run({
    text: `
select r.run_class, r.state, r.epoch, r.attempt, r.next_seq, r.tokens, r.recoveries, i.token_limit, i.duration_seconds,
  octet_length(i.body_hash) as hash_bytes
from runs r
join run_inputs i on i.run_id = r.id`,
  })
  expect(run).toEqual({
    run_class: 'long',
    state: 'queued',
    epoch: 0,
    attempt: 1,
    next_seq: 2,
    tokens: 0,
    recoveries: 0,
    token_limit: 1,
    duration_seconds: 0.5,
    hash_bytes: 32,
  })
  const checksOfOneColumn = await fresh.database.run({
    text: `
select conname
from pg_constraint
where contype = 'c' and conrelid in ('runs'::regclass, 'run_inputs'::regclass) and cardinality(conkey) = 1`,
  })
  expect(checksOfOneColumn).toEqual([])
})
