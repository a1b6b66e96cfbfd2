// Records are in two tables, usage_rows and runs. A page reads both.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { listUsageRecords, type UsageRecord, type UsageRecordFilter } from './records.ts'

const customerId = 'acme'
const everything: Omit<UsageRecordFilter, 'after' | 'limit'> = {
  customerId,
  range: { start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' },
  workspaceId: undefined,
  subjectId: undefined,
  eventType: undefined,
}

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  const creator = new RunCreator(fresh.database, () => undefined)
  // Those of one batch have one time: the ids decide, and between a run's own records their keys.
  for (const workspaceId of ['a', 'b']) {
    await Promise.all(Array.from({ length: 4 }, () => creator.create(newRun({ customerId, workspaceId }))))
  }
  await creator.create(newRun({ customerId: 'other' }))
  await fresh.database.run({
    text: `
insert into usage_rows (run_id, key, customer_id, workspace_id, event_type, quantity, at)
select id, key, customer_id, workspace_id, 'tool.invoked', 1, created_at
from runs
cross join (values ('call:1'), ('tokens:1')) as keys (key)`,
  })
})
afterAll(() => fresh.drop())

const idsOf = (records: readonly UsageRecord[]) => records.map(({ at, runId, key }) => `${at} ${runId} ${key}`)

async function allPages(filter: Partial<typeof everything>, limit: number) {
  const found: UsageRecord[] = []
  for (;;) {
    const page = await listUsageRecords(fresh.database, { ...everything, ...filter, after: found.at(-1), limit })
    found.push(...page)
    if (page.length < limit) return found
  }
}

const inOrder = (condition: string) =>
  fresh.database.query<{ id: string }>({
    text: `
select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || run_id || ' ' || key as id
from usage_records
where customer_id = '${customerId}' and ${condition}
order by at desc, run_id desc, key collate "C" desc`,
  })

test.each([1, 2, 3, 5, 7, 24, 25])('pages of %i give every record once, newest first', async (limit) => {
  const expected = (await inOrder('true')).map(({ id }) => id)
  expect(expected).toHaveLength(24)
  expect(idsOf(await allPages({}, limit))).toEqual(expected)
})

test.each([
  [{ eventType: 'run.created' }, "event_type = 'run.created'", 8],
  [{ eventType: 'tool.invoked' }, "event_type = 'tool.invoked'", 16],
  [{ workspaceId: 'a' }, "workspace_id = 'a'", 12],
] as const)('%j is held against both', async (filter, condition, count) => {
  const expected = (await inOrder(condition)).map(({ id }) => id)
  expect(expected).toHaveLength(count)
  expect(idsOf(await allPages(filter, 3))).toEqual(expected)
})
