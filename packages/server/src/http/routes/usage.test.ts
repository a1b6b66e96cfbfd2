import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type Usage, usageQuerySchema, usageSchema } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../../../test/support/answer.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { recordUsages } from '../../../test/support/usage.ts'
import type { Database } from '../../store/postgres/database.ts'
import { parseQuery } from '../server/request/query.ts'
import { usageHandlers } from './usage.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  await fresh.database.run({ text: 'truncate usage_rows, usage_deltas, usage_totals' })
})
afterAll(() => fresh.drop())

interface UsageRecord {
  readonly at: string
  readonly type?: string
  readonly quantity?: number
  readonly workspace?: string | null
  readonly subject?: string | null
  readonly customer?: string
}

async function record(...records: UsageRecord[]): Promise<void> {
  for (const { at, type, quantity, workspace, subject, customer = 'acme' } of records) {
    const usage = { at, ...(type && { eventType: type }), ...(quantity && { quantity }) }
    const labels = { workspaceId: workspace ?? null, subjectId: subject ?? null }
    await recordUsages(fresh.database, customer, [{ ...usage, ...labels }])
  }
}

const principal = (customerId: string) => ({
  keyId: 'key_1',
  keyName: null,
  customerId,
  scopes: new Set<never>(),
  suspended: false,
})

async function ask(
  query: Record<string, string> | string = {},
  { customer = 'acme', database = fresh.database }: { customer?: string; database?: Database } = {},
): Promise<Usage> {
  const answer = await usageHandlers({ database }).getUsage({
    requestId: 'req_1',
    principal: principal(customer),
    id: '',
    query: parseQuery(usageQuerySchema, new URLSearchParams(query).toString(), 'USAGE_QUERY_PARAMS_INVALID'),
    body: undefined,
    request: new IncomingMessage(new Socket()),
  })
  return usageSchema.parse(await jsonOf(answer))
}

const refusal = { reason: 'USAGE_QUERY_PARAMS_INVALID' }

const november = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' }

/** Period, event type, workspace, subject, count and quantity of each row. */
const rowsOf = ({ usage }: Usage) =>
  usage.map((row) => [row.period, row.event_type, row.workspace_id, row.subject_id, row.count, row.total_quantity])

const countOf = ({ usage }: Usage) => usage.reduce((sum, row) => sum + row.count, 0)

describe('the answer', () => {
  test('contains exactly rows, period, granularity and request id', async () => {
    await record({ at: '2026-11-15T02:30:00Z', type: 'tokens.consumed', quantity: 120, workspace: 'w' })
    expect(JSON.stringify(await ask(november))).toBe(
      JSON.stringify({
        usage: [
          {
            event_type: 'tokens.consumed',
            count: 1,
            total_quantity: 120,
            period: '2026-11-15',
            workspace_id: null,
            subject_id: null,
          },
        ],
        period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
        granularity: 'day',
        request_id: 'req_1',
      }),
    )
  })

  test('adds up one row per event type and period, and has no zero rows', async () => {
    await record(
      { at: '2026-11-15T02:00:00Z', type: 'tokens.consumed', quantity: 100 },
      { at: '2026-11-15T23:59:59.999999Z', type: 'tokens.consumed', quantity: 23 },
      { at: '2026-11-15T05:00:00Z', type: 'tool.invoked' },
      { at: '2026-11-17T05:00:00Z', type: 'tool.invoked' },
    )
    expect(rowsOf(await ask(november))).toEqual([
      ['2026-11-15', 'tokens.consumed', null, null, 2, 123],
      ['2026-11-15', 'tool.invoked', null, null, 1, 1],
      ['2026-11-17', 'tool.invoked', null, null, 1, 1],
    ])
  })

  test('adds quantities beyond 32 bits exactly', async () => {
    const row = { at: '2026-11-15T02:00:00Z', type: 'tokens.consumed', quantity: 4_503_599_627_370_495 }
    await record(row, row)
    expect(rowsOf(await ask(november))).toEqual([
      ['2026-11-15', 'tokens.consumed', null, null, 2, 9_007_199_254_740_990],
    ])
  })

  test('never shows the usage of another customer', async () => {
    await record({ at: '2026-11-15T02:00:00Z', customer: 'globex', workspace: 'w', subject: 's' })
    expect((await ask(november)).usage).toEqual([])
    expect((await ask({ ...november, workspace_id: 'w', subject_id: 's' })).usage).toEqual([])
    expect((await ask({ ...november, group_by: 'workspace_id,subject_id' })).usage).toEqual([])
    expect(countOf(await ask(november, { customer: 'globex' }))).toBe(1)
  })
})

describe('granularity', () => {
  test.each([
    ['hour', '2026-11-15T02:00:00Z'],
    ['day', '2026-11-15'],
    ['month', '2026-11'],
  ])('%s labels a period %s', async (granularity, label) => {
    await record({ at: '2026-11-15T02:59:59.999999Z' })
    const answer = await ask({ ...november, granularity })
    expect(answer).toMatchObject({ granularity, usage: [{ period: label }] })
  })

  test('hours, days and months change at UTC midnight, leap day included', async () => {
    const all = { start: '2028-02-01T00:00:00Z', end: '2028-04-01T00:00:00Z' }
    await record({ at: '2028-02-29T23:59:59.999999Z' }, { at: '2028-03-01T00:00:00Z' })
    const labels = async (granularity: string) => (await ask({ ...all, granularity })).usage.map((row) => row.period)
    expect(await labels('hour')).toEqual(['2028-02-29T23:00:00Z', '2028-03-01T00:00:00Z'])
    expect(await labels('day')).toEqual(['2028-02-29', '2028-03-01'])
    expect(await labels('month')).toEqual(['2028-02', '2028-03'])
  })

  test('a period that the range covers in part contains only that part', async () => {
    await record({ at: '2026-11-15T02:10:00Z' }, { at: '2026-11-15T02:50:00Z' })
    const cut = { start: '2026-11-15T02:30:00Z', end: '2026-11-16T00:00:00Z', granularity: 'month' }
    expect(rowsOf(await ask(cut))).toEqual([['2026-11', 'run.created', null, null, 1, 1]])
  })

  test.each(['week', 'DAY', '', 'hour,day'])('"%s" is refused', async (granularity) => {
    await expect(ask({ granularity })).rejects.toMatchObject(refusal)
  })
})

describe('the range', () => {
  test('includes its start and excludes its end, to the microsecond', async () => {
    const at = '2026-11-15T02:00:00.000500Z'
    await record({ at })
    const count = async (start: string, end: string) => countOf(await ask({ start, end }))
    expect(await count(at, '2026-11-15T02:00:00.000501Z')).toBe(1)
    expect(await count('2026-11-15T02:00:00.000501Z', '2026-11-16T00:00:00Z')).toBe(0)
    expect(await count('2026-11-15T00:00:00Z', at)).toBe(0)
    expect(await count('2026-11-15T02:00:00.0005001Z', '2026-11-16T00:00:00Z')).toBe(0)
    expect(await count('2026-11-15T00:00:00Z', '2026-11-15T02:00:00.0005001Z')).toBe(1)
  })

  test('counts offsets', async () => {
    await record({ at: '2026-10-31T23:30:00Z' }, { at: '2026-11-30T23:30:00Z' })
    const berlin = await ask({ start: '2026-11-01T00:00:00+01:00', end: '2026-12-01T00:00:00+01:00' })
    expect(rowsOf(berlin)).toEqual([['2026-10-31', 'run.created', null, null, 1, 1]])
    expect(berlin.period).toEqual({ start: '2026-10-31T23:00:00.000Z', end: '2026-11-30T23:00:00.000Z' })
  })

  test('is the current UTC month by the clock of the database when none is given', async () => {
    const before = await clock()
    const month = Date.parse(`${before.slice(0, 7)}-01T00:00:00Z`)
    const inAMinute = Date.parse(before) + 60_000
    await record(...[month, month - 1, inAMinute].map((ms) => ({ at: new Date(ms).toISOString() })))
    const { period, ...answer } = await ask()
    expect(countOf({ period, ...answer })).toBe(1)
    expect(period.start).toBe(`${period.end.slice(0, 7)}-01T00:00:00.000Z`)
    expect(period.end >= before && period.end <= (await clock())).toBe(true)
  })

  test('ends now when only start is given', async () => {
    await record({ at: '2020-02-29T12:00:00Z' })
    const before = await clock()
    const answer = await ask({ start: '2020-02-29T12:00:00Z', granularity: 'month' })
    expect(rowsOf(answer)).toEqual([['2020-02', 'run.created', null, null, 1, 1]])
    expect(answer.period.start).toBe('2020-02-29T12:00:00.000Z')
    expect(answer.period.end >= before).toBe(true)
  })

  test('starts with the month of the instant before the end when only end is given', async () => {
    await record({ at: '2026-09-30T23:59:59.999999Z' }, { at: '2026-10-01T00:00:00Z' })
    const answer = await ask({ end: '2026-11-01T00:00:00Z' })
    expect(rowsOf(answer)).toEqual([['2026-10-01', 'run.created', null, null, 1, 1]])
    expect(answer.period).toEqual({ start: '2026-10-01T00:00:00.000Z', end: '2026-11-01T00:00:00.000Z' })
  })

  test('has no rows when start and end are the same', async () => {
    await record({ at: '2026-11-15T00:00:00Z' })
    const answer = await ask({ start: '2026-11-15T00:00:00Z', end: '2026-11-15T01:00:00+01:00' })
    expect(answer.usage).toEqual([])
  })

  test.each([
    { start: '2026-11-15T00:00:01Z', end: '2026-11-15T00:00:00Z' },
    { start: '9999-01-01T00:00:00Z' },
    { end: '0001-01-01T00:00:00Z' },
    { start: '0001-01-01T00:00:00+23:59' },
    { end: '9999-12-31T23:59:59-23:59' },
  ])('%j is refused', async (query) => {
    await expect(ask(query)).rejects.toMatchObject(refusal)
  })

  test.each([
    { start: '0001-01-01T00:00:00Z' },
    { start: '0001-01-01T00:00:00-23:59', end: '9999-12-31T23:59:59.999999999Z' },
    { end: '9999-12-31T23:59:59+23:59' },
    { start: '2026-11-01T00:00:00+23:59', end: '2026-11-01T00:00:00-23:59' },
    { end: '0001-01-01T00:00:00.000001Z' },
  ])('%j gives rows', async (query) => {
    await expect(ask(query)).resolves.toMatchObject({ usage: [] })
  })

  test.each([
    '2026-11-15',
    '2026-11-15T00:00:00',
    '2026-11-15T00:00:00 01:00',
    '2026-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-15T24:00:00Z',
    '2026-11-15T23:59:60Z',
    '2026-11-15T00:00:00+24:00',
    '0000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    'now',
    'infinity',
    '1763164800',
    '',
  ])('"%s" is not an instant', async (instant) => {
    await expect(ask({ start: instant })).rejects.toMatchObject(refusal)
    await expect(ask({ end: instant })).rejects.toMatchObject(refusal)
  })
})

describe('parameters', () => {
  test.each([
    'from=x',
    'granularity=day&granularity=day',
    'workspace_id=a&workspace_id=b',
    'workspace_id=',
    `subject_id=${'x'.repeat(256)}`,
    'event_type=%00',
    'group_by=run_id',
    'group_by=subject_id,subject_id',
    'group_by=workspace_id,',
  ])('%s is refused', async (query) => {
    await expect(ask(query)).rejects.toMatchObject(refusal)
  })
})

describe('filters', () => {
  beforeEach(() =>
    record(
      { at: '2026-11-15T01:00:00Z', workspace: 'w', subject: 's' },
      { at: '2026-11-15T02:00:00Z', workspace: 'w', subject: 't' },
      { at: '2026-11-15T03:00:00Z', workspace: 'v', subject: 's', type: 'tool.invoked' },
      { at: '2026-11-15T04:00:00Z' },
    ),
  )

  test.each([
    [{ workspace_id: 'w' }, [['2026-11-15', 'run.created', 'w', null, 2, 2]]],
    [
      { subject_id: 's' },
      [
        ['2026-11-15', 'run.created', null, 's', 1, 1],
        ['2026-11-15', 'tool.invoked', null, 's', 1, 1],
      ],
    ],
    [{ workspace_id: 'w', subject_id: 't' }, [['2026-11-15', 'run.created', 'w', 't', 1, 1]]],
    [{ event_type: 'tool.invoked' }, [['2026-11-15', 'tool.invoked', null, null, 1, 1]]],
    [{ workspace_id: 'v', event_type: 'run.created' }, []],
    [{ workspace_id: 'W' }, []],
    [{ event_type: 'never.recorded' }, []],
    [{ event_type: "'; drop table usage_records; --" }, []],
  ])('%j gives %j', async (filter, rows) => {
    expect(rowsOf(await ask({ ...november, ...filter }))).toEqual(rows)
  })

  test.each(['_', '%', "o'neill", 'a\\b', '日本 🚀', ' ', 'null', '\u0001', 'x'.repeat(255)])(
    'the exact label %j is found',
    async (label) => {
      await record({ at: '2026-11-15T05:00:00Z', workspace: label, subject: label })
      const answer = await ask({ ...november, workspace_id: label, subject_id: label })
      expect(rowsOf(answer)).toEqual([['2026-11-15', 'run.created', label, label, 1, 1]])
    },
  )
})

describe('group_by', () => {
  beforeEach(() =>
    record(
      { at: '2026-11-15T01:00:00Z', workspace: 'b', subject: 's' },
      { at: '2026-11-15T02:00:00Z', workspace: 'B', subject: 's' },
      { at: '2026-11-15T03:00:00Z', workspace: 'b', subject: null },
      { at: '2026-11-15T04:00:00Z', workspace: null, subject: 's' },
      { at: '2026-11-15T05:00:00Z', workspace: 'ä', subject: 't' },
      { at: '2026-11-14T05:00:00Z', workspace: 'z', type: 'tool.invoked' },
    ),
  )

  test('workspace_id splits the rows by workspace: nulls first, then in byte order', async () => {
    expect(rowsOf(await ask({ ...november, group_by: 'workspace_id' }))).toEqual([
      ['2026-11-14', 'tool.invoked', 'z', null, 1, 1],
      ['2026-11-15', 'run.created', null, null, 1, 1],
      ['2026-11-15', 'run.created', 'B', null, 1, 1],
      ['2026-11-15', 'run.created', 'b', null, 2, 2],
      ['2026-11-15', 'run.created', 'ä', null, 1, 1],
    ])
  })

  test('both split by both, in whichever order they are named', async () => {
    const rows = rowsOf(await ask({ ...november, group_by: 'workspace_id,subject_id', event_type: 'run.created' }))
    expect(rows.map(([, , workspace, subject]) => [workspace, subject])).toEqual([
      [null, 's'],
      ['B', 's'],
      ['b', null],
      ['b', 's'],
      ['ä', 't'],
    ])
    expect(rowsOf(await ask({ ...november, group_by: 'subject_id,workspace_id', event_type: 'run.created' }))).toEqual(
      rows,
    )
  })

  test('subject_id with a workspace filter returns both', async () => {
    expect(rowsOf(await ask({ ...november, group_by: 'subject_id', workspace_id: 'b' }))).toEqual([
      ['2026-11-15', 'run.created', 'b', null, 1, 1],
      ['2026-11-15', 'run.created', 'b', 's', 1, 1],
    ])
  })
})

describe('order and zone', () => {
  test('rows are ordered by period, then event type', async () => {
    const types = ['tool.invoked', 'run.created', 'tokens.consumed', 'task.completed']
    for (const type of types) await record({ at: '2026-11-16T00:00:00Z', type }, { at: '2026-11-15T23:00:00Z', type })
    const labels = (await ask(november)).usage.map((row) => `${row.period} ${row.event_type}`)
    expect(labels).toHaveLength(8)
    expect(labels).toEqual(labels.toSorted())
  })

  test('labels are in byte order whatever the collation', async () => {
    const collate = (collation: string) =>
      fresh.database.run({ text: `alter table usage_deltas alter workspace_id type text collate "${collation}"` })
    for (const workspace of ['b', 'ä', 'B']) await record({ at: '2026-11-15T00:00:00Z', workspace })
    await collate('en-x-icu')
    const { usage } = await ask({ ...november, group_by: 'workspace_id' })
    await collate('default')
    expect(usage.map((row) => row.workspace_id)).toEqual(['B', 'b', 'ä'])
  })

  test('neither the zone nor the date style of the database session matters', async () => {
    await record({ at: '2026-11-01T00:00:00Z' }, { at: '2026-11-30T23:30:00Z' })
    const expected = [await ask(november), await ask({ ...november, granularity: 'hour' })]
    const far = await farAwaySession()
    const there = (query: Record<string, string>) => ask(query, { database: far })
    expect([await there(november), await there({ ...november, granularity: 'hour' })]).toEqual(expected)
    const { period } = await there({})
    expect(period.start).toBe(`${period.end.slice(0, 7)}-01T00:00:00.000Z`)
    expect(Math.abs(Date.parse(period.end) - Date.parse(await clock()))).toBeLessThan(60_000)
  })
})

async function clock(): Promise<string> {
  const text = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms'
  const [row] = await fresh.database.run<{ ms: number }>({ text })
  return new Date(row?.ms ?? 0).toISOString()
}

async function farAwaySession(): Promise<Database> {
  for (const setting of [`timezone to 'Pacific/Kiritimati'`, `datestyle to 'SQL, DMY'`]) {
    await fresh.database.run({ text: `alter database ${fresh.connection.database} set ${setting}` })
  }
  return fresh.open(1)
}
