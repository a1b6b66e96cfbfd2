import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { recordUsages } from '../../../test/support/usage.ts'
import { migrate } from '../postgres/migrate.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { auditUsage, repairUsage } from './audit.ts'
import { foldDeltas } from './fold.ts'
import { spreadOverTotals } from './levels.ts'

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

const change = (text: string, ...values: unknown[]) => fresh.database.run({ text, values })

describe('an audit', () => {
  test('finds nothing where all adds up, and says what it has seen', async () => {
    const audit = await auditUsage(fresh.database, await someCustomer())
    expect(audit).toMatchObject({ customers: 1, months: 2, records: 6, runs: 0, differences: [], wrongMonths: [] })
    expect(audit.totals).toBeGreaterThan(20)
  })

  test.each([
    ['update usage_totals set count = count + 1', 'hour', 'both'],
    ['update usage_totals set quantity = quantity - 1', 'day', 'workspace'],
    ['update usage_totals set quantity = quantity + 1', 'month', 'subject'],
    ['delete from usage_totals', 'day', 'both'],
  ])('finds what "%s" has done to the %s totals of level %s', async (text, grain, level) => {
    const customerId = await someCustomer()
    await change(`${text} where customer_id = $1 and grain = $2 and level = $3`, customerId, grain, level)
    const { differences, wrongMonths } = await auditUsage(fresh.database, customerId)
    expect(new Set(differences.map(({ kept }) => kept))).toEqual(new Set([grain]))
    expect(differences.every(({ of }) => of.endsWith(`level ${level}`))).toBe(true)
    expect(wrongMonths).toHaveLength(2)
  })

  test.each([
    ["update usage_hours set counts = replace(counts::text, '1', '2')::json", 'customer'],
    ["update usage_hours set quantities = replace(quantities::text, '0', '3')::json", 'workspace'],
    ['delete from usage_hours', 'workspace'],
  ])('finds what "%s" has done to the hours of level %s', async (text, level) => {
    const customerId = await someCustomer()
    await change(`${text} where customer_id = $1 and level = $2`, customerId, level)
    const { differences, wrongMonths } = await auditUsage(fresh.database, customerId)
    expect(new Set(differences.map(({ kept }) => kept))).toEqual(new Set(['hour']))
    expect(differences.every(({ of }) => of.endsWith(`level ${level}`))).toBe(true)
    expect(wrongMonths).toHaveLength(2)
    await repairUsage(fresh.database, wrongMonths)
    expect((await auditUsage(fresh.database, customerId)).differences).toEqual([])
  })

  test('finds hours of a day that nobody recorded, in a month without records', async () => {
    const customerId = await someCustomer()
    await change(
      `insert into usage_hours values ($1, 'customer', null, '2020-02-29', array_to_json(array_fill(0, array[96])),
        array_to_json(array_fill(0, array[95]) || 7))`,
      customerId,
    )
    const { differences } = await auditUsage(fresh.database, customerId)
    expect(differences).toMatchObject([
      { of: '2020-02-29 23:00, level customer', eventType: 'tokens.consumed', found: { count: 0, quantity: 7 } },
    ])
  })

  test('finds a total of something that nobody recorded, in a month without records', async () => {
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

  test('finds a run whose tokens are not those of its records', async () => {
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
  test('makes wrong totals anew from the records', async () => {
    const customerId = await someCustomer()
    await change('update usage_totals set quantity = quantity * 3 where customer_id = $1', customerId)
    await change('delete from usage_hours where customer_id = $1', customerId)
    await change('delete from usage_deltas where customer_id = $1', customerId)
    await repairUsage(fresh.database, (await auditUsage(fresh.database, customerId)).wrongMonths)
    expect((await auditUsage(fresh.database, customerId)).differences).toEqual([])
  })

  test('loses nothing and counts nothing twice while others write and fold', async () => {
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

/** A database as an earlier version has left it. */
async function databaseOfVersion(version: number): Promise<FreshDatabase> {
  const old = await freshDatabase({ migrated: false })
  const applied = await fresh.database.run<{ name: string; text: string }>({
    text: `select name, format('insert into schema_migrations values (%s, %L, %L)', version, name, checksum) as text
      from schema_migrations where version <= $1 order by version`,
    values: [version],
  })
  await old.database.run({
    text: `create table schema_migrations (version integer primary key, name text not null, checksum text not null,
      applied_at timestamptz not null default clock_timestamp())`,
  })
  for (const { name, text } of applied) {
    await old.database.run({ text: await readFile(new URL(`./migrations/${name}`, import.meta.url), 'utf8') })
    await old.database.run({ text })
  }
  return old
}

const recordsOfFiveDays = `
insert into usage_records (run_id, key, customer_id, event_type, quantity, at)
select gen_random_uuid(), 'k', 'acme', 'tokens.consumed', n, '2028-02-28T00:00:00Z'::timestamptz + n * interval '17 minutes'
from generate_series(1, 500) n`

test('records from before there were totals are brought in by the migration', async () => {
  const old = await databaseOfVersion(1)
  try {
    await old.database.run({ text: recordsOfFiveDays })
    expect((await migrate(old.database)).applied[0]).toBe('002_usage.sql')
    const audit = await auditUsage(old.database)
    expect(audit).toMatchObject({ records: 500, totals: 0, differences: [] })
    await foldDeltas(old.database, 10_000)
    expect(await auditUsage(old.database)).toMatchObject({ records: 500, differences: [] })
  } finally {
    await old.drop()
  }
})

test('hours that stood in rows of their own are moved by the migration, and none can be added there any more', async () => {
  const old = await databaseOfVersion(5)
  try {
    await recordUsages(old.database, 'acme', usages, 'usage_records')
    await recordUsages(old.database, 'globex', usages.slice(1), 'usage_records')
    const rows = spreadOverTotals('select * from usage_deltas')
    const insert = `
      insert into usage_totals
        (customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity) ${rows}`
    await old.database.run({ text: insert })
    await old.database.run({ text: 'delete from usage_deltas' })
    expect((await migrate(old.database)).applied[0]).toBe('006_usage_hours.sql')
    const audit = await auditUsage(old.database)
    expect(audit).toMatchObject({ customers: 2, records: 5, differences: [] })
    await recordUsages(old.database, 'acme', usages)
    await expect(old.database.run({ text: insert })).rejects.toThrow('usage_totals_without_hours')
    await foldDeltas(old.database, 10_000)
    expect((await auditUsage(old.database)).differences).toEqual([])
  } finally {
    await old.drop()
  }
})
