// GET /v1/usage: rows per event type and period, their labels, order, filters and range.
import { randomUUID } from 'node:crypto'
import type { Usage, UsageEventPage, UsageRow } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver, recordUsage } from '../support/drive.ts'
import { Caller, expectRefusal, instantPattern, requestIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  await Promise.all(history.map((usage) => recordUsage(service.database, usage)))
})
afterAll(() => service.stop())

const created = 'run.created'
const tokens = 'tokens.consumed'
const history = [
  { at: '2025-01-31T23:59:59.999Z', eventType: created },
  { at: '2025-02-01T00:00:00.000Z', eventType: created, workspaceId: 'w1', subjectId: 's1' },
  { at: '2025-02-01T00:59:59.999Z', eventType: tokens, quantity: 40, workspaceId: 'w1', subjectId: 's1' },
  { at: '2025-02-01T01:00:00.000Z', eventType: tokens, quantity: 2, workspaceId: 'w1', subjectId: 's2' },
  { at: '2025-02-03T12:00:00.000Z', eventType: tokens, quantity: 7, workspaceId: 'w2', subjectId: 's1' },
  { at: '2025-02-03T12:00:00.001Z', eventType: 'task.completed' },
  { at: '2025-02-03T12:30:00.000Z', eventType: 'tool.invoked', workspaceId: 'w2' },
  { at: '2025-02-03T12:31:00.000Z', eventType: 'tool.invoked', workspaceId: 'w2' },
  { at: '2025-03-01T00:00:00.000Z', eventType: created, workspaceId: 'w2' },
  { at: '2025-02-03T12:00:00.000Z', eventType: tokens, quantity: 1_000, customerId: 'other' },
]

const usage = async (query = '', caller = acme) => (await caller.get(`/v1/usage${query}`)).json<Usage>()
const february = 'start=2025-02-01T00:00:00Z&end=2025-03-01T00:00:00Z'
const row = (
  event_type: string,
  period: string,
  count: number,
  total_quantity = count,
  more: Partial<UsageRow> = {},
) => ({
  event_type,
  count,
  total_quantity,
  period,
  workspace_id: null,
  subject_id: null,
  ...more,
})

test('the answer has exactly its fields', async () => {
  await other.newRun({ workspace_id: 'w', subject_id: 's' })
  const today = new Date().toISOString().slice(0, 10)
  expect(await usage('', other)).toEqual({
    usage: [row(created, today, 1)],
    period: { start: expect.stringMatching(instantPattern), end: expect.stringMatching(instantPattern) },
    granularity: 'day',
    request_id: expect.stringMatching(requestIdPattern),
  })
})

describe('the rows of a month', () => {
  test('by hour', async () => {
    expect((await usage(`?${february}&granularity=hour`)).usage).toEqual([
      row(created, '2025-02-01T00:00:00Z', 1),
      row(tokens, '2025-02-01T00:00:00Z', 1, 40),
      row(tokens, '2025-02-01T01:00:00Z', 1, 2),
      row('task.completed', '2025-02-03T12:00:00Z', 1),
      row(tokens, '2025-02-03T12:00:00Z', 1, 7),
      row('tool.invoked', '2025-02-03T12:00:00Z', 2),
    ])
  })

  test.each(['', '&granularity=day'])('by day%s', async (granularity) => {
    expect((await usage(`?${february}${granularity}`)).usage).toEqual([
      row(created, '2025-02-01', 1),
      row(tokens, '2025-02-01', 2, 42),
      row('task.completed', '2025-02-03', 1),
      row(tokens, '2025-02-03', 1, 7),
      row('tool.invoked', '2025-02-03', 2),
    ])
  })

  test('by month', async () => {
    expect((await usage(`?${february}&granularity=month`)).usage).toEqual([
      row(created, '2025-02', 1),
      row('task.completed', '2025-02', 1),
      row(tokens, '2025-02', 3, 49),
      row('tool.invoked', '2025-02', 2),
    ])
  })

  test('over several months come in the order of periods', async () => {
    const { usage: rows, granularity } = await usage(
      '?start=2025-01-01T00:00:00Z&end=2025-04-01T00:00:00Z&granularity=month&event_type=run.created',
    )
    expect(rows).toEqual([row(created, '2025-01', 1), row(created, '2025-02', 1), row(created, '2025-03', 1)])
    expect(granularity).toBe('month')
  })
})

describe('a filter', () => {
  test.each([
    ['event_type=tool.invoked', [row('tool.invoked', '2025-02', 2)]],
    ['event_type=nobody.knows', []],
    [
      'workspace_id=w2',
      [
        row(tokens, '2025-02', 1, 7, { workspace_id: 'w2' }),
        row('tool.invoked', '2025-02', 2, 2, { workspace_id: 'w2' }),
      ],
    ],
    ['subject_id=s2', [row(tokens, '2025-02', 1, 2, { subject_id: 's2' })]],
    [
      'workspace_id=w1&subject_id=s1&event_type=tokens.consumed',
      [row(tokens, '2025-02', 1, 40, { workspace_id: 'w1', subject_id: 's1' })],
    ],
    ['workspace_id=nobody', []],
  ])('%s', async (filter, rows) => {
    expect((await usage(`?${february}&granularity=month&${filter}`)).usage).toEqual(rows)
  })
})

describe('group_by', () => {
  const labelled = (workspace_id: string | null, subject_id: string | null = null) => ({ workspace_id, subject_id })
  test('workspace_id splits the rows, those without one first', async () => {
    expect((await usage(`?${february}&granularity=month&group_by=workspace_id`)).usage).toEqual([
      row(created, '2025-02', 1, 1, labelled('w1')),
      row('task.completed', '2025-02', 1),
      row(tokens, '2025-02', 2, 42, labelled('w1')),
      row(tokens, '2025-02', 1, 7, labelled('w2')),
      row('tool.invoked', '2025-02', 2, 2, labelled('w2')),
    ])
  })

  test.each(['workspace_id,subject_id', 'subject_id,workspace_id'])('%s splits by both', async (group) => {
    expect((await usage(`?${february}&granularity=month&event_type=tokens.consumed&group_by=${group}`)).usage).toEqual([
      row(tokens, '2025-02', 1, 40, labelled('w1', 's1')),
      row(tokens, '2025-02', 1, 2, labelled('w1', 's2')),
      row(tokens, '2025-02', 1, 7, labelled('w2', 's1')),
    ])
  })

  test('puts nulls before labels', async () => {
    const { usage: rows } = await usage(
      '?start=2025-01-01T00:00:00Z&end=2025-04-01T00:00:00Z&group_by=workspace_id&event_type=run.created&granularity=month',
    )
    expect(rows.map(({ period, workspace_id }) => [period, workspace_id])).toEqual([
      ['2025-01', null],
      ['2025-02', 'w1'],
      ['2025-03', 'w2'],
    ])
    const { usage: tools } = await usage(`?${february}&group_by=subject_id&granularity=month`)
    expect(tools.map(({ subject_id }) => subject_id)).toEqual(['s1', null, 's1', 's2', null])
  })
})

describe('the range', () => {
  test('takes its start in and leaves its end out', async () => {
    const rows = async (start: string, end: string) =>
      (await usage(`?event_type=run.created&start=${start}&end=${end}`)).usage
    expect(await rows('2025-02-01T00:00:00Z', '2025-02-01T00:00:00.001Z')).toHaveLength(1)
    expect(await rows('2025-01-31T23:59:59.999Z', '2025-02-01T00:00:00Z')).toEqual([row(created, '2025-01-31', 1)])
    expect(await rows('2025-02-01T00:00:00.001Z', '2025-03-01T00:00:00Z')).toEqual([])
    expect(await rows('2025-02-01T00:00:00Z', '2025-02-01T00:00:00Z')).toEqual([])
  })

  test('is told as it was used, in UTC', async () => {
    const { period } = await usage('?start=2025-02-01T01:30:00%2B01:30&end=2025-02-28T19:00:00.5-05:00')
    expect(period).toEqual({ start: '2025-02-01T00:00:00.000Z', end: '2025-03-01T00:00:00.500Z' })
  })

  test('takes any offset of a day', async () => {
    const { period } = await usage('?start=2025-02-01T23:59:00%2B23:59&end=2025-02-01T00:01:00-23:59')
    expect(period).toEqual({ start: '2025-02-01T00:00:00.000Z', end: '2025-02-02T00:00:00.000Z' })
  })

  test('is by default the current UTC month until now', async () => {
    const before = Date.now()
    const { period } = await usage()
    expect(period.start).toBe(`${new Date(before).toISOString().slice(0, 7)}-01T00:00:00.000Z`)
    expect(Math.abs(Date.parse(period.end) - before)).toBeLessThan(10_000)
  })

  test('with only a start goes on until now', async () => {
    const { period } = await usage('?start=2025-02-01T00:00:00Z')
    expect(period.start).toBe('2025-02-01T00:00:00.000Z')
    expect(Math.abs(Date.parse(period.end) - Date.now())).toBeLessThan(10_000)
  })

  test.each([
    ['2025-02-15T00:00:00Z', '2025-02-01T00:00:00.000Z'],
    ['2025-03-01T00:00:00Z', '2025-02-01T00:00:00.000Z'],
    ['2025-03-01T00:00:00.001Z', '2025-03-01T00:00:00.000Z'],
    ['2025-01-01T00:00:00Z', '2024-12-01T00:00:00.000Z'],
    ['2025-03-01T01:00:00%2B02:00', '2025-02-01T00:00:00.000Z'],
  ])('with only the end %s starts with the month of the instant before: %s', async (end, start) => {
    expect((await usage(`?end=${end}`)).period.start).toBe(start)
  })
})

test('the model calls of a run are one record each and sum to its tokens', async () => {
  const run = await acme.newRun({ workspace_id: 'metered' })
  const driver = new Driver(service.database)
  for (const quantity of [11, 31]) {
    await driver.progress(run.id, { tokens: quantity, usage: [{ key: randomUUID(), eventType: tokens, quantity }] })
  }
  const { usage: rows } = await usage('?workspace_id=metered&granularity=month')
  const period = new Date().toISOString().slice(0, 7)
  const more = { workspace_id: 'metered' }
  expect(rows).toEqual([row(created, period, 1, 1, more), row(tokens, period, 2, 42, more)])
})

test('a customer sees only what is its own', async () => {
  expect((await usage(`?${february}`, other)).usage).toEqual([row(tokens, '2025-02-03', 1, 1_000)])
})

describe('as CSV', () => {
  test('the rows come under their names, and are the same', async () => {
    const reply = await acme.get(`/v1/usage?${february}&granularity=month&workspace_id=w2`, { accept: 'text/csv' })
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(reply.headers.vary).toBe('accept')
    expect(reply.text).toBe(
      'event_type,count,total_quantity,period,workspace_id,subject_id\r\n' +
        'tokens.consumed,1,7,2025-02,w2,\r\ntool.invoked,2,2,2025-02,w2,\r\n',
    )
  })

  test('a refusal is the envelope all the same', async () => {
    const reply = await acme.get('/v1/usage?granularity=week', { accept: 'text/csv' })
    expectRefusal(reply, 400, 'USAGE_QUERY_PARAMS_INVALID')
  })
})

describe('the records behind a number', () => {
  const records = async (query: string, caller = acme) =>
    (await caller.get(`/v1/usage/events?${query}`)).json<UsageEventPage>()

  test('sum up to it', async () => {
    const { usage: rows } = await usage(`?${february}&granularity=month&event_type=tokens.consumed`)
    const { events, next_cursor } = await records(`${february}&event_type=tokens.consumed`)
    expect(events.map(({ quantity }) => quantity)).toEqual([7, 2, 40])
    expect(rows).toEqual([row(tokens, '2025-02', 3, 49)])
    expect(next_cursor).toBeNull()
  })

  test('come newest first, page by page', async () => {
    const first = await records(`${february}&limit=4`)
    const second = await records(`${february}&limit=4&cursor=${first.next_cursor}`)
    const times = [...first.events, ...second.events].map(({ at }) => at)
    expect([first.events.length, second.events.length, second.next_cursor]).toEqual([4, 3, null])
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('hold nothing of another customer', async () => {
    expect((await records(february, other)).events.map(({ quantity }) => quantity)).toEqual([1_000])
  })

  test.each(['granularity=day', 'limit=0', 'limit=201', 'cursor=x', 'start=yesterday', 'nonsense=1'])(
    '?%s answers 400',
    async (query) => {
      expectRefusal(await acme.get(`/v1/usage/events?${query}`), 400, 'USAGE_QUERY_PARAMS_INVALID')
    },
  )
})

describe('a bad query answers 400', () => {
  test.each([
    ...[
      'start=',
      'end=',
      'start=2025-02-01',
      'start=2025-02-01T00:00:00',
      'start=2025-02-01T00:00:00+01:00',
      'start=yesterday',
    ],
    ...[
      'start=1738368000',
      'start=2025-02-30T00:00:00Z',
      'start=2025-13-01T00:00:00Z',
      'start=2025-02-01T25:00:00Z',
      'end=2025-02-29T00:00:00Z',
    ],
    ...[
      'start=2025-02-01T00:60:00Z',
      'start=2025-02-01T00:00:00%2B99:00',
      'start=2025-00-01T00:00:00Z',
      'start=2025-2-1T00:00:00Z',
    ],
    ...[
      'start=2025-03-01T00:00:00Z&end=2025-02-01T00:00:00Z',
      'start=2099-01-01T00:00:00Z',
      'start=2025-02-01T00:00:00Z&start=2025-02-01T00:00:00Z',
    ],
    ...[
      'granularity=',
      'granularity=week',
      'granularity=Day',
      'granularity=day&granularity=day',
      'workspace_id=',
      'subject_id=',
      'event_type=',
    ],
    ...[
      'group_by=',
      'group_by=event_type',
      'group_by=workspace_id,',
      'workspace_id=a&workspace_id=b',
      'nonsense=1',
      'limit=10',
      'Start=x',
      '=',
    ],
  ])('?%s', async (query) => {
    expectRefusal(await acme.get(`/v1/usage?${query}`), 400, 'USAGE_QUERY_PARAMS_INVALID')
  })

  test('and the message names the parameter', async () => {
    expect((await acme.get('/v1/usage?nonsense_parameter=1')).json().message).toContain('nonsense_parameter')
    expect((await acme.get('/v1/usage?granularity=week')).json().message).toContain('granularity')
  })
})
