// The answers from totals, deltas and cut hours against the plain sum over the records, whatever is recorded and
// folded.
import { randomUUID } from 'node:crypto'
import { granularities, usageEventTypes } from '@runwright/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { inOneSnapshot, plainUsage, recordUsages, type SomeUsage } from '../../../test/support/usage.ts'
import type { Database } from '../postgres/database.ts'
import { auditUsage } from './audit.ts'
import { foldDeltas } from './fold.ts'
import { expireHours } from './hours.ts'
import type { UsageQuestion } from './question.ts'
import { readUsage } from './usage.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** Close to the edges of hours, days, months, years and a leap day, and anywhere around them. */
const instants = fc
  .tuple(
    fc.constantFrom(
      ...['2026-11-15T09:00:00Z', '2026-11-15T10:00:00Z', '2026-10-31T23:00:00Z', '2026-11-01T00:00:00Z'],
      ...['2026-12-31T23:00:00Z', '2027-01-01T00:00:00Z', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ),
    fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -3_600_000_000, max: 3_600_000_000 })),
  )
  .map(([base, micros]) => {
    const date = new Date(Date.parse(base) + Math.floor(micros / 1000))
    return date.toISOString().replace('Z', `${String(((micros % 1000) + 1000) % 1000).padStart(3, '0')}Z`)
  })

async function newCustomer(): Promise<string> {
  const customerId = randomUUID()
  await fresh.database.run({ text: 'insert into customers (id) values ($1)', values: [customerId] })
  return customerId
}

async function expireAll(day: string): Promise<void> {
  while ((await expireHours(fresh.database, new Date(`${day}T00:00:00Z`), 10)) > 0);
}

const hoursOf = "select min(period) as first from usage_totals where customer_id = $1 and grain = 'hour'"

const labels = fc.constantFrom(null, 'a', 'b')
const usages = fc.record<SomeUsage>({
  at: instants,
  eventType: fc.constantFrom(...usageEventTypes),
  quantity: fc.integer({ min: 0, max: 1_000 }),
  workspaceId: labels,
  subjectId: labels,
})

const maxBytes = 1_000_000
const wanted = fc.constantFrom(undefined, undefined, undefined, 'a', 'b', 'nobody')
const questions = fc
  .record({
    ends: fc.tuple(instants, instants),
    granularity: fc.constantFrom(...granularities),
    workspaceId: wanted,
    subjectId: wanted,
    eventType: fc.constantFrom(undefined, undefined, undefined, ...usageEventTypes),
    byWorkspace: fc.boolean(),
    bySubject: fc.boolean(),
    now: instants,
  })
  .map(({ ends, ...question }) => {
    const [start = '', end = ''] = [...ends].sort()
    return { ...question, range: { start, end }, maxRows: 10_000, maxBytes }
  })

const november = { start: '2026-11-01T00:00:00.000000Z', end: '2026-12-01T00:00:00.000000Z' }
const byHour = (customerId: string): UsageQuestion => ({
  customerId,
  range: november,
  granularity: 'hour',
  now: november.end,
  maxRows: 10_000,
  maxBytes,
  ...{ workspaceId: undefined, subjectId: undefined, eventType: undefined, byWorkspace: false, bySubject: false },
})

/** What happens between two questions: records come in, early or late, some of them are folded, and hours expire. */
const happenings = fc.record({
  recorded: fc.array(usages, { minLength: 10, maxLength: 40 }),
  folded: fc.constantFrom(0, 3, 1_000),
  expiredBefore: fc.option(fc.constantFrom('2026-11-01', '2026-11-15', '2027-01-01', '2028-02-29')),
  asked: fc.array(questions, { minLength: 4, maxLength: 10 }),
})

test('an answer equals the plain sum over the records, to the microsecond, with any part of it folded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happenings, { minLength: 1, maxLength: 4 }), async (course) => {
      const customerId = await newCustomer()
      for (const { recorded, folded, expiredBefore, asked } of course) {
        await recordUsages(fresh.database, customerId, recorded)
        if (folded > 0) await foldDeltas(fresh.database, folded)
        if (expiredBefore !== null) await expireAll(expiredBefore)
        for (const one of asked) {
          const question: UsageQuestion = { ...one, customerId }
          expect(await readUsage(fresh.database, question)).toEqual(await plainUsage(fresh.database, question))
        }
      }
    }),
    { numRuns: 30 },
  )
  expect((await auditUsage(fresh.database)).differences).toEqual([])
})

test('answers stay exact while several processes write and fold', async () => {
  const database = fresh.open(8)
  const customerId = randomUUID()
  let isOver = false
  const again = async (work: () => Promise<unknown>) => {
    while (!isOver) await work()
  }
  const flush = () => recordUsages(database, customerId, fc.sample(usages, 20))
  const others = [again(flush), again(flush), ...[7, 50, 50].map((most) => again(() => foldDeltas(database, most)))]
  try {
    for (const one of fc.sample(questions, 150)) {
      const question = { ...one, customerId }
      await inOneSnapshot(database, async (snapshot) => {
        expect(await readUsage(snapshot, question)).toEqual(await plainUsage(snapshot, question))
      })
    }
  } finally {
    isOver = true
    await Promise.all(others)
  }
  const audit = await auditUsage(database, customerId)
  expect(audit.records).toBeGreaterThan(500)
  expect(audit.differences).toEqual([])
})

test('an answer is exact if hours expire before it is read', async () => {
  const customerId = await newCustomer()
  const at = ['2026-11-14T09:00:00Z', '2026-11-15T09:00:00Z', '2026-11-16T09:00:00Z']
  await recordUsages(
    fresh.database,
    customerId,
    at.map((one) => ({ at: one })),
  )
  // Those of other tests, too.
  while ((await foldDeltas(fresh.database, 1_000)) > 0);
  const days = ['2026-11-15', '2026-11-16']
  const query: Database['query'] = async (statement, ...more) => {
    const day = statement.name?.startsWith('usage-') ? days.shift() : undefined
    if (day !== undefined) await expireAll(day)
    return fresh.database.query(statement, ...more)
  }
  const rows = await readUsage({ query } as Database, byHour(customerId))
  expect(rows?.map(({ period }) => period)).toEqual(at)
  expect(days).toEqual([])
  expect(await fresh.database.run({ text: hoursOf, values: [customerId] })).toEqual([{ first: new Date(at[2] ?? '') }])
})

test('an answer for less than an hour is read from records', async () => {
  const customerId = randomUUID()
  const at = ['2026-11-15T09:00:00Z', '2026-11-15T09:29:59.999999Z', '2026-11-15T09:30:00Z', '2026-11-15T09:59:00Z']
  await recordUsages(
    fresh.database,
    customerId,
    at.map((one) => ({ at: one })),
  )
  for (const [start, count] of [
    ['09:00:00.000001', 1],
    ['09:29:59.999999', 1],
    ['09:00:00.000000', 2],
  ] as const) {
    const range = { start: `2026-11-15T${start}Z`, end: '2026-11-15T09:30:00.000000Z' }
    const rows = await readUsage(fresh.database, { ...byHour(customerId), range })
    expect(rows).toMatchObject([{ period: '2026-11-15T09:00:00Z', eventType: 'run.created', count }])
  }
})

test('hours split by workspace are in byte order, those without a workspace first', async () => {
  const customerId = randomUUID()
  const names = [null, 'Z', 'a', 'é', '\uffe6', '\u{1f600}']
  const at = '2026-11-15T09:00:00Z'
  await recordUsages(
    fresh.database,
    customerId,
    [...names].reverse().map((workspaceId) => ({ at, workspaceId })),
  )
  await foldDeltas(fresh.database, 1_000)
  const question = { ...byHour(customerId), byWorkspace: true }
  const rows = await readUsage(fresh.database, question)
  expect(rows?.map(({ workspaceId }) => workspaceId)).toEqual(names)
  expect(rows).toEqual(await plainUsage(fresh.database, question))
})

test('an answer that has too many rows or bytes is undefined', async () => {
  const customerId = randomUUID()
  const at = ['2026-11-15T09:00:00Z', '2026-11-16T09:00:00Z', '2026-11-17T09:00:00Z']
  await recordUsages(
    fresh.database,
    customerId,
    at.map((one) => ({ at: one })),
  )
  const rows = async (limits: Partial<UsageQuestion>) =>
    (await readUsage(fresh.database, { ...byHour(customerId), ...limits }))?.map(({ period }) => period)
  expect(await rows({ maxRows: 3, maxBytes: 360 })).toEqual(at)
  expect(await rows({ maxRows: 2 })).toBeUndefined()
  expect(await rows({ maxBytes: 359 })).toBeUndefined()
  expect(await rows({ maxBytes: 1 })).toBeUndefined()
})
