// Searching a list: what it finds, and that it looks at a limited number of runs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import type { Database, Statement } from '../postgres/database.ts'
import { listRuns, maxSearchedRuns, type RunFilter } from './run-list.ts'

const runs = maxSearchedRuns + 50
const uuidOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  // Run n is the n-th oldest. The title of each tenth says so.
  await fresh.database.run({
    text: `
insert into runs (customer_id, id, run_class, state, next_seq, request_id, idempotency_key, created_at, updated_at,
  deadline_at)
select 'acme', ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'default', 'cancelled', 2, 'req', n,
  at, at, at
from generate_series(1, ${runs}) n
cross join lateral (select timestamptz '2026-11-15T00:00:00Z' + n * interval '1 second') as clock (at);
insert into run_inputs (customer_id, run_id, body_hash, input, metadata, title, token_limit, duration_seconds,
  signal_timeout_seconds, created_at, created_payload)
select customer_id, id, decode(repeat('00', 32), 'hex'), '{}', '{}',
  case when idempotency_key like '%0' then 'Tenth ÜBUNG #' || idempotency_key || '.' end, 1, 1, 1, created_at, '{}'
from runs;
analyze`,
  })
})
afterAll(() => fresh.drop())

const filterFor = (words: readonly string[], more: Partial<RunFilter> = {}): RunFilter => ({
  states: undefined,
  workspaceId: undefined,
  subjectId: undefined,
  runClass: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
  scheduleId: undefined,
  id: undefined,
  search: { agent: undefined, error: undefined, text: { words, ids: undefined } },
  before: undefined,
  limit: 3,
  ...more,
})

const find = async (words: readonly string[], more: Partial<RunFilter> = {}) => {
  const { runs, lookedUntil } = await listRuns(fresh.database, 'acme', filterFor(words, more))
  return { ids: runs.map(({ id }) => id), lookedUntil }
}

test('finds titles that contain every word, in upper or lower case', async () => {
  expect(await find(['übung', '50.'])).toEqual({ ids: [10_050, 9_950, 9_850].map(uuidOf), lookedUntil: undefined })
  expect(await find(['TENTH', '10050'])).toMatchObject({ ids: [uuidOf(10_050)] })
  expect(await find(['%'])).toMatchObject({ ids: [] })
})

test('finds the runs of a schedule by their keys, and no runs of another schedule or customer', async () => {
  const at = '2026-11-16T08:00:00.000Z'
  const keys = [
    `schedule:sched_1:${at}`,
    `schedule:sched_1:${at.replace('08', '09')}`,
    `schedule:sched_11:${at}`,
    'own',
  ]
  await fresh.database.run({
    text: `
insert into runs (customer_id, id, run_class, state, next_seq, request_id, idempotency_key, created_at, updated_at,
  deadline_at)
select customer, gen_random_uuid(), 'default', 'cancelled', 2, 'req', key, at, at, at
from unnest($1::text[]) with ordinality keys (key, n)
cross join unnest(array['planned', 'other']) customer
cross join lateral (select timestamptz '2026-11-16T08:00:00Z' + n * interval '1 hour') clock (at)`,
    values: [keys],
  })
  const found = await listRuns(fresh.database, 'planned', {
    ...filterFor([]),
    search: undefined,
    scheduleId: 'sched_1',
  })
  const rows = await fresh.database.run<{ id: string }>({
    text: "select id from runs where customer_id = 'planned' and idempotency_key = any($1) order by created_at desc",
    values: [keys.slice(0, 2)],
  })
  expect(found.runs.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  expect(found.runs).toHaveLength(2)
})

test('looks at so many runs and no more, and says at which one it stopped', async () => {
  const last = runs - maxSearchedRuns + 1
  const { ids, lookedUntil } = await find(['bung', '#50.'])
  expect(ids).toEqual([])
  expect(lookedUntil).toEqual({ createdAtMs: Date.parse('2026-11-15T00:00:00Z') + last * 1_000, id: uuidOf(last) })
  expect(await find(['bung', '#50.'], { before: lookedUntil })).toEqual({ ids: [uuidOf(50)], lookedUntil: undefined })
})

test('a page that is full does not say where it stopped', async () => {
  expect((await find(['tenth'])).lookedUntil).toBeUndefined()
})

test('other customers do not find them', async () => {
  expect(await listRuns(fresh.database, 'other', filterFor(['tenth']))).toEqual({ runs: [], lookedUntil: undefined })
})

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** How many rows of a table the statement of this filter reads. */
async function rowsRead(table: string, filter: RunFilter): Promise<number[]> {
  const sent: Statement[] = []
  const note = async (statement: Statement) => {
    sent.push(statement)
    return []
  }
  await listRuns({ query: note } as unknown as Database, 'acme', filter)
  const plans = await fresh.database.run<{ 'QUERY PLAN': string }>({
    ...sent[0],
    text: `explain (analyze, format json) ${sent[0]?.text}`,
  })
  const [{ Plan }] = JSON.parse(plans[0]?.['QUERY PLAN'] ?? '')
  return nodesOf(Plan)
    .filter((node) => node['Relation Name'] === table)
    .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
}

test('the database reads no more rows for a search without results, and few for one with many', async () => {
  // Once to search, once to find where the search stopped.
  expect(await rowsRead('runs', filterFor(['nothing']))).toEqual([maxSearchedRuns, maxSearchedRuns])
  expect(await rowsRead('run_inputs', filterFor(['nothing']))).toEqual([maxSearchedRuns])
  expect(await rowsRead('runs', filterFor(['tenth']))).toEqual([21, 0])
  expect(await rowsRead('runs', { ...filterFor([]), search: undefined, runClass: 'long' })).toEqual([
    maxSearchedRuns,
    maxSearchedRuns,
  ])
})
