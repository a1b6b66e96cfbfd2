// Runs from before the first event stood with the inputs are read as ever, and counted once.
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { newUuid } from '../../runtime/ids.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { findEvents, findNewEvents } from '../runs/events.ts'
import { auditUsage } from '../usage/audit.ts'
import { listUsageRecords } from '../usage/records.ts'

const customerId = 'acme'
const at = '2026-11-01T10:00:00.000Z'
const [old, record] = [newUuid(), newUuid()]

const oldRun = `
insert into runs (id, customer_id, run_class, state, next_seq, ready_at, request_id, idempotency_key, created_at, updated_at, deadline_at)
values ('${old}', '${customerId}', 'default', 'queued', 3, '${at}', 'req', 'old', '${at}', '${at}', '${at}');
insert into run_inputs (run_id, customer_id, body_hash, input, metadata, routing, token_limit, duration_seconds, signal_timeout_seconds)
values ('${old}', '${customerId}', decode(repeat('00', 32), 'hex'), '{}', '{}', '{}', 1, 1, 1);
insert into events (run_id, seq, attempt, type, terminal, redacted, at, payload)
values ('${old}', 1, 1, 'run.created', false, true, '${at}', '{"request_id":"req"}'),
  ('${old}', 2, 1, 'step.progress', false, false, '${at}', '{}');
insert into usage_records (run_id, key, customer_id, event_type, quantity, at)
values ('${old}', 'run.created', '${customerId}', 'run.created', 1, '${at}'),
  ('${record}', 'run.created', '${customerId}', 'run.created', 1, '${at}');
insert into usage_deltas (customer_id, hour, event_type, count, quantity)
values ('${customerId}', '${at}', 'run.created', 2, 2);`

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: 'drop view events, usage_records' })
  await fresh.database.run({
    text: `
alter table event_rows rename to events;
alter table usage_rows rename to usage_records;
alter table run_inputs drop column created_at, drop column created_payload;
${oldRun}
${await readFile(new URL('../migrations/007_created_once.sql', import.meta.url), 'utf8')}`,
  })
})
afterAll(() => fresh.drop())

test('the events of a run from before and of a new one both begin with the first', async () => {
  const run = newRun({ customerId })
  await new RunCreator(fresh.database, () => undefined).create(run)
  const seqsOf = async (id: string, after: number) =>
    (await findEvents(fresh.database, { customerId, id }, { after, limit: 10 }))?.map(({ seq }) => seq)
  expect([await seqsOf(old, 0), await seqsOf(old, 1), await seqsOf(run.id, 0), await seqsOf(run.id, 1)]).toEqual([
    [1, 2],
    [2],
    [1],
    [],
  ])
  const news = await findNewEvents(fresh.database, new Map([old, run.id].map((id) => [id, 0])), 10)
  expect(news.get(old)?.map(({ type }) => type)).toEqual(['run.created', 'step.progress'])
  expect(news.get(run.id)).toMatchObject([{ seq: 1, type: 'run.created', redacted: true, payload: run.createdPayload }])
})

test('a page of one event is the first event', async () => {
  const events = await findEvents(fresh.database, { customerId, id: old }, { after: 0, limit: 1 })
  expect(events).toMatchObject([{ seq: 1, type: 'run.created', at: new Date(at), payload: '{"request_id":"req"}' }])
})

test('both runs are recorded once, and so is a record whose run is gone', async () => {
  const range = { start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' }
  const filter = { customerId, range, workspaceId: undefined, subjectId: undefined, eventType: undefined }
  const records = await listUsageRecords(fresh.database, { ...filter, after: undefined, limit: 10 })
  expect(records.map(({ runId }) => runId).filter((id) => id === old || id === record)).toHaveLength(2)
  expect(records).toHaveLength(3)
  expect((await auditUsage(fresh.database, customerId)).differences).toEqual([])
})
