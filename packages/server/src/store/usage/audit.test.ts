import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countStatements } from '../../../test/support/count-statements.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { recordUsages } from '../../../test/support/usage.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { auditUsage, repairUsage } from './audit.ts'
import { foldDeltas } from './fold.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const usages = [
  { at: '2026-10-31T23:59:59.999Z', eventType: 'tokens.consumed', quantity: 40, workspaceId: 'w', subjectId: 's' },
  { at: '2026-11-01T00:00:00Z', eventType: 'tokens.consumed', quantity: 2, workspaceId: 'w', subjectId: 's' },
  { at: '2026-11-15T09:30:00Z', eventType: 'tool.invoked', subjectId: 's' },
]

/** A customer whose usage is partly folded. */
async function someCustomer(): Promise<string> {
  const customerId = randomUUID()
  await recordUsages(fresh.database, customerId, usages)
  await foldDeltas(fresh.database, 10)
  await recordUsages(fresh.database, customerId, usages)
  return customerId
}

type Place = { ctid: string; grain: string; period: Date }

const change = (text: string, ...values: unknown[]) => fresh.database.run({ text, values })

describe('an audit', () => {
  test('finds no differences in correct totals, and counts what it checked', async () => {
    const audit = await auditUsage(fresh.database, await someCustomer())
    expect(audit).toMatchObject({ customers: 1, months: 2, records: 6, runs: 0, differences: [], wrongMonths: [] })
    expect(audit.totals).toBeGreaterThan(20)
  })

  test.each([
    ['update usage_totals set count = count + 1', 'hour', 'both'],
    ['update usage_totals set count = count + 1', 'hour', 'customer'],
    ['delete from usage_totals', 'hour', 'workspace'],
    ['update usage_totals set quantity = quantity - 1', 'day', 'workspace'],
    ['update usage_totals set quantity = quantity + 1', 'month', 'both'],
    ['delete from usage_totals', 'day', 'both'],
  ])('finds what "%s" has done to the %s totals of level %s', async (text, grain, level) => {
    const customerId = await someCustomer()
    await change(`${text} where customer_id = $1 and grain = $2 and level = $3`, customerId, grain, level)
    const { differences, wrongMonths } = await auditUsage(fresh.database, customerId)
    expect(new Set(differences.map(({ kept }) => kept))).toEqual(new Set([grain]))
    expect(differences.every(({ of }) => of.endsWith(`level ${level}`))).toBe(true)
    expect(wrongMonths).toHaveLength(2)
  })

  test('finds a total without a record, in a month without records', async () => {
    const customerId = await someCustomer()
    await change(
      `insert into usage_totals values ($1, 'day', 'customer', '2020-02-29T00:00:00Z', 'tool.invoked', null, null, 1, 1)`,
      customerId,
    )
    const { differences } = await auditUsage(fresh.database, customerId)
    expect(differences).toEqual([
      {
        customerId,
        kept: 'day',
        of: '2020-02-29 00:00, level customer',
        eventType: 'tool.invoked',
        workspaceId: null,
        subjectId: null,
        recorded: { count: 0, quantity: 0 },
        found: { count: 1, quantity: 1 },
      },
    ])
  })

  test('finds a record without a delta, a delta without a record, and a record that was changed', async () => {
    for (const text of [
      'delete from usage_deltas where customer_id = $1',
      'delete from usage_rows where customer_id = $1',
      'update usage_rows set quantity = quantity + 1 where customer_id = $1',
    ]) {
      const customerId = await someCustomer()
      await change(text, customerId)
      expect((await auditUsage(fresh.database, customerId)).differences).not.toEqual([])
    }
  })

  test('finds a run whose tokens differ from its records', async () => {
    const run = newRun({ customerId: randomUUID(), workspaceId: 'w' })
    await new RunCreator(fresh.database, () => undefined).create(run)
    expect((await auditUsage(fresh.database, run.customerId)).differences).toEqual([])
    await change('update runs set tokens = 7 where id = $1', run.id)
    const { differences } = await auditUsage(fresh.database, run.customerId)
    expect(differences).toMatchObject([
      {
        kept: 'run',
        of: run.id,
        eventType: 'tokens.consumed',
        workspaceId: 'w',
        recorded: { quantity: 0 },
        found: { quantity: 7 },
      },
    ])
  })

  test('finds a run that was not counted', async () => {
    const run = newRun({ customerId: randomUUID() })
    await new RunCreator(fresh.database, () => undefined).create(run)
    await change('delete from usage_deltas where customer_id = $1', run.customerId)
    const { differences } = await auditUsage(fresh.database, run.customerId)
    expect(differences).toContainEqual(
      expect.objectContaining({
        kept: 'month',
        eventType: 'run.created',
        recorded: { count: 1, quantity: 1 },
        found: { count: 0, quantity: 0 },
      }),
    )
  })
})

describe('a repair', () => {
  test('rebuilds wrong totals from the records', async () => {
    const customerId = await someCustomer()
    await change('update usage_totals set quantity = quantity * 3 where customer_id = $1', customerId)
    await change('delete from usage_deltas where customer_id = $1', customerId)
    await repairUsage(fresh.database, (await auditUsage(fresh.database, customerId)).wrongMonths)
    expect((await auditUsage(fresh.database, customerId)).differences).toEqual([])
  })

  test('deletes totals without a record', async () => {
    const customerId = await someCustomer()
    await change('delete from usage_rows where customer_id = $1', customerId)
    await change('delete from usage_deltas where customer_id = $1', customerId)
    await repairUsage(fresh.database, (await auditUsage(fresh.database, customerId)).wrongMonths)
    expect(await change('select from usage_totals where customer_id = $1', customerId)).toEqual([])
  })

  test('writes only the totals that differ', async () => {
    const customerId = await someCustomer()
    while ((await foldDeltas(fresh.database, 100)) > 0);
    await change(`update usage_totals set count = 9 where customer_id = $1 and period = '2026-10-01'`, customerId)
    const places = async () =>
      (await change('select ctid, grain, period from usage_totals where customer_id = $1', customerId)) as Place[]
    const before = new Set((await places()).map(({ ctid }) => ctid))
    await repairUsage(fresh.database, (await auditUsage(fresh.database, customerId)).wrongMonths)
    const written = (await places()).filter(({ ctid }) => !before.has(ctid))
    expect(new Set(written.map(({ grain }) => grain))).toEqual(new Set(['month']))
    expect(new Set(written.map(({ period }) => period.toISOString()))).toEqual(new Set(['2026-10-01T00:00:00.000Z']))
  })

  test('takes as many statements for a thousand runs as for one', async () => {
    const statementsFor = async (records: number) => {
      const customerId = randomUUID()
      const all = Array.from({ length: records }, (_, n) => ({ at: '2026-11-15T09:30:00Z', subjectId: `subject ${n}` }))
      await recordUsages(fresh.database, customerId, all)
      await change('update usage_deltas set count = count + 1 where customer_id = $1', customerId)
      return countStatements(async () => {
        const { wrongMonths, differences } = await auditUsage(fresh.database, customerId)
        expect(differences.length).toBeGreaterThanOrEqual(records)
        await repairUsage(fresh.database, wrongMonths)
        expect((await auditUsage(fresh.database, customerId)).differences).toEqual([])
      })
    }
    expect(await statementsFor(1_000)).toBe(await statementsFor(1))
  })

  test('neither loses nor double-counts usage while others write and fold', async () => {
    const customerId = await someCustomer()
    const database = fresh.open(8)
    const { wrongMonths } = await (async () => {
      await change('delete from usage_totals where customer_id = $1', customerId)
      return auditUsage(database, customerId)
    })()
    let isOver = false
    const again = async (work: () => Promise<unknown>) => {
      while (!isOver) await work()
    }
    const others = [
      again(() => recordUsages(database, customerId, usages)),
      again(() => recordUsages(database, customerId, usages)),
      again(() => foldDeltas(database, 5)),
      again(() => foldDeltas(database, 5)),
    ]
    for (let round = 0; round < 20; round += 1) await repairUsage(database, wrongMonths)
    isOver = true
    await Promise.all(others)
    const audit = await auditUsage(database, customerId)
    expect(audit.records).toBeGreaterThan(100)
    expect(audit.differences).toEqual([])
  })
})
