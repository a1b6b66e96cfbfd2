import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { recordUsages } from '../../test/support/usage.ts'
import { auditUsage, repairUsage } from '../store/usage/audit.ts'
import { foldDeltas } from '../store/usage/fold.ts'
import { expireUsageHours } from './expire-hours.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: "insert into customers (id) values ('acme'), ('globex')" })
  const days = ['2026-09-30', '2026-10-01', '2026-10-02', '2026-11-05']
  const usages = days.map((day) => ({ at: `${day}T23:30:00Z`, workspaceId: 'w', subjectId: 's' }))
  for (const customerId of ['acme', 'globex']) await recordUsages(fresh.database, customerId, usages)
  await foldDeltas(fresh.database, 1_000)
})
afterAll(() => fresh.drop())

const now = new Date('2026-11-06T12:00:00Z')
const periods = async (grain: string) =>
  (
    await fresh.database.run<{ day: string }>({
      text: `select distinct to_char(period at time zone 'UTC', 'YYYY-MM-DD') as day from usage_totals where grain = $1`,
      values: [grain],
    })
  )
    .map(({ day }) => day)
    .toSorted()

test('totals per hour are deleted after 35 days, a day of each customer at a time; days and months stay', async () => {
  expect(await expireUsageHours(fresh.database, now)).toEqual({ days: 2 })
  expect(await periods('hour')).toEqual(['2026-10-01', '2026-10-02', '2026-11-05'])
  expect(await expireUsageHours(fresh.database, now)).toEqual({ days: 2 })
  expect(await expireUsageHours(fresh.database, now)).toEqual({ days: 0 })
  expect(await periods('hour')).toEqual(['2026-10-02', '2026-11-05'])
  expect(await periods('day')).toEqual(['2026-09-30', '2026-10-01', '2026-10-02', '2026-11-05'])
})

test('an audit does not miss them, and a repair does not bring them back', async () => {
  expect((await auditUsage(fresh.database)).differences).toEqual([])
  await fresh.database.run({ text: "update usage_totals set count = 7 where grain = 'month'" })
  await repairUsage(fresh.database, (await auditUsage(fresh.database)).wrongMonths)
  expect((await auditUsage(fresh.database)).differences).toEqual([])
  expect(await periods('hour')).toEqual(['2026-10-02', '2026-11-05'])
})
