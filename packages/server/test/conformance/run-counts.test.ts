// GET /v1/runs/counts: how many runs are in each status, among the newest.
import type { RunCounts } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countRuns, maxCountedByState, maxCountedRuns } from '../../src/store/runs/run-counts.ts'
import { Driver } from '../support/drive.ts'
import { Caller, expectRefusal, requestIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  const driver = new Driver(service.database)
  const make = async (body: object = {}) => (await acme.newRun({ workspace_id: 'w', ...body })).id
  await make({ run_class: 'short' })
  await driver.toRunning(await make({ subject_id: 's' }))
  await driver.toAwaiting(await make())
  await driver.toAwaiting(await make({ subject_id: 's' }))
  await driver.toStalled(await make())
  await driver.toFailed(await make({ workspace_id: 'v' }))
  await driver.toSucceeded(await make())
  await acme.post(`/v1/runs/${await make()}/cancel`)
  await other.newRun({ workspace_id: 'w' })
})
afterAll(() => service.stop())

const none = { queued: 0, running: 0, awaiting_input: 0, stalled: 0, succeeded: 0, failed: 0, cancelled: 0 }
const all = { queued: 1, running: 1, awaiting_input: 2, stalled: 1, succeeded: 1, failed: 1, cancelled: 1 }
const count = async (query = '', caller = acme) => (await caller.get(`/v1/runs/counts${query}`)).json<RunCounts>()

test('has exactly its fields, and counts waiting runs apart from running ones', async () => {
  const request_id = expect.stringMatching(requestIdPattern)
  expect(await count()).toEqual({ counts: all, complete: true, request_id })
})

test.each([
  ['?workspace_id=v', { ...none, failed: 1 }],
  ['?subject_id=s', { ...none, running: 1, awaiting_input: 1 }],
  ['?run_class=short', { ...none, queued: 1 }],
  ['?workspace_id=w&run_class=long', none],
  ['?created_after=2000-01-01T00:00:00Z', all],
  ['?created_before=2000-01-01T00:00:00Z', none],
])('%s counts only those', async (query, counts) => {
  expect(await count(query)).toMatchObject({ counts, complete: true })
})

test('counts the runs of the customer only', async () => {
  expect((await count('', other)).counts).toEqual({ ...none, queued: 1 })
})

test.each(['?status=queued', '?limit=1', '?workspace_id=', '?created_after=today'])('%s answers 400', async (query) => {
  expectRefusal(await acme.get(`/v1/runs/counts${query}`), 400, 'RUNS_QUERY_PARAMS_INVALID')
})

test('looks at the newest runs only, but counts more that wait or are stalled', async () => {
  // From the oldest: stalled, waiting, and more cancelled runs than are looked at. None is overdue: a sweep would end
  // it.
  const stalled = maxCountedByState + 5
  await service.database.run({
    text: `
insert into runs (customer_id, id, run_class, state, next_seq, request_id, idempotency_key, created_at, updated_at,
  deadline_at, await_seq, await_until, wait, wait_content, workspace_id)
select 'long', gen_random_uuid(), 'default', state, 2, 'req', n, at, at, now() + interval '1 day',
  case when state = 'awaiting_input' then 1 end,
  case when state = 'awaiting_input' then now() + interval '1 day' end,
  case when state = 'awaiting_input' then '{}'::json end, case when state = 'awaiting_input' then '{}'::json end, 'w'
from generate_series(1, ${stalled + 7 + maxCountedRuns + 1}) n
cross join lateral (
  select timestamptz '2026-11-15T00:00:00Z' + n * interval '1 second',
    case when n <= ${stalled} then 'stalled' when n <= ${stalled + 7} then 'awaiting_input' else 'cancelled' end
) as made (at, state)`,
  })
  const labels = { workspaceId: undefined, subjectId: undefined, runClass: undefined }
  const range = { ...labels, createdAfter: undefined, createdBefore: undefined }
  const counted = { ...none, cancelled: maxCountedRuns }
  expect(await countRuns(service.database, 'long', range)).toEqual({
    counts: { ...counted, stalled: maxCountedByState, awaiting_input: 7 },
    isComplete: false,
  })
  expect(await countRuns(service.database, 'long', { ...range, workspaceId: 'w' })).toEqual({
    counts: counted,
    isComplete: false,
  })
})
