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
  expect(await findNewEvents(fresh.database, [{ ...asOther, after: 0 }], limits)).toEqual([none])
  expect(await findHeads(fresh.database, [asOther])).toEqual(new Map())
})

const limits = { eventsPerCursor: 10, bytesPerCursor: 1_000_000, maxBytes: 1_000_000 }
const none = { events: [], isComplete: true }
const cursors = [
  { ...run, after: 2 },
  { ...other, after: 0 },
  { ...run, after: 0 },
  { ...run, after: 5 },
]
const readNew = async (changes: Partial<typeof limits>) =>
  (await findNewEvents(fresh.database, cursors, { ...limits, ...changes })).map(({ events, isComplete }) => [
    events.map(({ seq }) => seq),
    isComplete,
  ])

test('each of many cursors has its own page, also if they are of the same run', async () => {
  expect(await readNew({})).toEqual([
    [[3, 4, 5], true],
    [[1], true],
    [[1, 2, 3, 4, 5], true],
    [[], true],
  ])
  expect(await readNew({ eventsPerCursor: 2 })).toEqual([
    [[3, 4], false],
    [[1], true],
    [[1, 2], false],
    [[], true],
  ])
  const heads = await findHeads(fresh.database, [run, other])
  expect([heads.get(run.id)?.lastSeq, heads.get(other.id)?.lastSeq]).toEqual([5, 1])
})

const delta = Buffer.byteLength(JSON.stringify({ kind: 'content_delta' }))

test.each([
  [2 * delta, [2, 3]],
  [2 * delta - 1, [2]],
  [1, [2]],
])('a page of %i bytes ends before the event that exceeds it, but has one', async (maxBytes, seqs) => {
  const events = await findEvents(fresh.database, run, { after: 1, limit: 10, maxBytes })
  expect(events?.map(({ seq }) => seq)).toEqual(seqs)
})

test('a cursor gets its bytes, but at least one event', async () => {
  expect((await readNew({ bytesPerCursor: 2 * delta })).slice(0, 2)).toEqual([
    [[3, 4], false],
    [[1], true],
  ])
  expect((await readNew({ bytesPerCursor: 1 })).map(([seqs]) => seqs)).toEqual([[3], [1], [1], []])
})

test('what all cursors get has a limit too: those that it does not reach are incomplete', async () => {
  expect(await readNew({ maxBytes: 2 * delta })).toEqual([
    [[3, 4], false],
    [[], false],
    [[], false],
    [[], false],
  ])
  expect((await readNew({ maxBytes: 1 })).map(([seqs]) => seqs)).toEqual([[3], [], [], []])
  expect(await readNew({ maxBytes: 3 * delta })).toEqual([
    [[3, 4, 5], true],
    [[], false],
    [[], false],
    [[], false],
  ])
})
