// The first event is stored with the inputs, the others in event_rows. A page reads both.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { RunLog } from '../run-log/run-log.ts'
import { findEvents, findHeads, findNewEvents } from './events.ts'

const run = newRun({ customerId: 'acme' })
const other = newRun({ customerId: 'other' })
let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  const creator = new RunCreator(fresh.database, () => undefined)
  await Promise.all([run, other].map((one) => creator.create(one)))
  const event = { type: 'step.progress', payload: { kind: 'content_delta' } } as const
  await new RunLog(fresh.database, () => undefined).apply({
    runId: run.id,
    customerId: run.customerId,
    epoch: null,
    trigger: 'meter',
    events: [event, event, event, event],
  })
})
afterAll(() => fresh.drop())

const seqsAfter = async (after: number, limit: number, customerId = run.customerId) =>
  (await findEvents(fresh.database, { customerId, id: run.id }, { after, limit }))?.map(({ seq }) => seq)

test.each([
  [0, 1, [1]],
  [0, 3, [1, 2, 3]],
  [0, 10, [1, 2, 3, 4, 5]],
  [1, 2, [2, 3]],
  [4, 10, [5]],
  [5, 10, []],
  [Number.MAX_SAFE_INTEGER, 10, []],
])('after %i, a page of %i has the events %j', async (after, limit, seqs) => {
  expect(await seqsAfter(after, limit)).toEqual(seqs)
})

test('the first event has the payload that the run was created with', async () => {
  const events = await findEvents(fresh.database, run, { after: 0, limit: 1 })
  expect(events).toMatchObject([{ type: 'run.created', redacted: true, payload: run.createdPayload }])
})

test('a run of another customer is not found', async () => {
  expect(await seqsAfter(0, 10, 'other')).toBeUndefined()
  const asOther = { customerId: 'other', id: run.id }
  expect(await findNewEvents(fresh.database, [{ ...asOther, after: 0 }], 10)).toEqual(new Map())
  expect(await findHeads(fresh.database, [asOther])).toEqual(new Map())
})

test('each of many runs has its own cursor, and its own page', async () => {
  const cursors = [
    { ...run, after: 2 },
    { ...other, after: 0 },
  ]
  const found = await findNewEvents(fresh.database, cursors, 2)
  expect(found.get(run.id)?.map(({ seq }) => seq)).toEqual([3, 4])
  expect(found.get(other.id)?.map(({ seq }) => seq)).toEqual([1])
  const heads = await findHeads(fresh.database, [run, other])
  expect([heads.get(run.id)?.lastSeq, heads.get(other.id)?.lastSeq]).toEqual([5, 1])
})
