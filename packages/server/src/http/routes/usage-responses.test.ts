// What /v1/usage returns besides JSON rows: CSV, the error for too many rows, and individual records.
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import {
  type UsageEventPage,
  usageEventPageSchema,
  usageEventsQuerySchema,
  usageQuerySchema,
} from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf, textOf } from '../../../test/support/answer.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { recordUsages } from '../../../test/support/usage.ts'
import { parseQuery } from '../server/request/query.ts'
import { prefersCsv, usageCsv, usageHandlers } from './usage.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const callOf = (customerId: string, accept?: string) => {
  const request = new IncomingMessage(new Socket())
  if (accept) request.headers.accept = accept
  const principal = { keyId: 'key_1', keyName: null, customerId, scopes: new Set<never>(), suspended: false }
  return { requestId: 'req_1', principal, id: '', body: undefined, request }
}

const reason = 'USAGE_QUERY_PARAMS_INVALID'
const november = 'start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z'

const getUsage = (customerId: string, query: string, accept?: string) =>
  usageHandlers({ database: fresh.database }).getUsage({
    ...callOf(customerId, accept),
    query: parseQuery(usageQuerySchema, query, reason),
  })

async function listEvents(customerId: string, query: string): Promise<UsageEventPage> {
  const { body } = await usageHandlers({ database: fresh.database }).listUsageEvents({
    ...callOf(customerId),
    query: parseQuery(usageEventsQuerySchema, query, reason),
  })
  return usageEventPageSchema.strict().parse(body)
}

describe('CSV', () => {
  test.each([
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/csv, */*', true],
    ['text/csv;q=0.9, application/json;q=0.5', true],
    ['application/json;q=0.9, text/csv', true],
    ['text/csv, application/json', false],
    ['text/csv;q=0.5, application/*', false],
    ['text/csv;q=0', false],
    ['application/json', false],
    ['*/*', false],
    ['text/*', false],
    [undefined, false],
  ])('is preferred by "%s": %s', (accept, expected) => {
    expect(prefersCsv(accept)).toBe(expected)
  })

  test('has the same rows in the same order under their names', async () => {
    await recordUsages(fresh.database, 'sheet', [
      { at: '2026-11-15T00:00:00Z', eventType: 'tokens.consumed', quantity: 7, workspaceId: 'w' },
      { at: '2026-11-14T00:00:00Z', workspaceId: 'a "b", c' },
      { at: '2026-11-15T00:00:00Z' },
    ])
    const answer = await getUsage('sheet', `${november}&group_by=workspace_id`, 'text/csv')
    expect(answer.headers).toEqual({
      'content-type': 'text/csv; charset=utf-8; header=present',
      vary: 'accept',
    })
    expect(await textOf(answer)).toBe(
      [
        'event_type,count,total_quantity,period,workspace_id,subject_id',
        'run.created,1,1,2026-11-14,"a ""b"", c",',
        'run.created,1,1,2026-11-15,,',
        'tokens.consumed,1,7,2026-11-15,w,',
        '',
      ].join('\r\n'),
    )
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['＝1+1', "'＝1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a; "=1', '"a;\' ""=1"'],
    ['a;-1;+1;@x', "a;'-1;'+1;'@x"],
    ['a,=1', '"a,\'=1"'],
    ['a|=1', "a|'=1"],
    ['a\t=1', "a\t'=1"],
    ['a\n=1', '"a\n\'=1"'],
    ['a\r\n=1', '"a\r\n\'=1"'],
    ['"a";=1', '"""a"";\'=1"'],
    ['a=1', 'a=1'],
    ['a;b-1', 'a;b-1'],
    ['two\nlines', '"two\nlines"'],
  ])('a label %j becomes the field %j', (workspace_id, field) => {
    const row = { event_type: 'run.created', count: 1, total_quantity: 1, period: '2026-11', subject_id: null }
    expect([...usageCsv([{ ...row, workspace_id }])].join('').split('2026-11,')[1]).toBe(`${field},\r\n`)
  })
})

test('a result of more than 50,000 rows is refused, with advice', async () => {
  await fresh.database.run({
    text: `insert into usage_deltas select 'huge', '2020-01-01T00:00:00Z'::timestamptz + n * interval '1 hour',
      'run.created', null, null, 1, 1 from generate_series(1, 50001) n`,
  })
  const years = 'start=2020-01-01T00:00:00Z&end=2027-01-01T00:00:00Z'
  const refusal = { reason, message: expect.stringContaining('coarser granularity') }
  await expect(getUsage('huge', `${years}&granularity=hour`)).rejects.toMatchObject(refusal)
  const answer = await getUsage('huge', `${years.replace('01T00', '01T02')}&granularity=hour`)
  expect(((await jsonOf(answer)) as { usage: unknown[] }).usage).toHaveLength(50_000)
})

test('a result of more than 32 MiB is refused too', async () => {
  await fresh.database.run({
    text: `insert into usage_deltas select 'wide', '2026-11-15T00:00:00Z', 'run.created',
      n || repeat('🚀', 250), n || repeat('🚀', 250), 1, 1 from generate_series(1, 20000) n`,
  })
  const refusal = { reason, message: expect.stringContaining('bytes') }
  await expect(getUsage('wide', `${november}&group_by=workspace_id,subject_id`)).rejects.toMatchObject(refusal)
  const answer = await getUsage('wide', `${november}&group_by=workspace_id`)
  expect(((await jsonOf(answer)) as { usage: unknown[] }).usage).toHaveLength(20_000)
})

describe('individual records', () => {
  beforeAll(() =>
    recordUsages(fresh.database, 'acme', [
      { at: '2026-11-15T09:00:00.000Z', eventType: 'tokens.consumed', quantity: 40, workspaceId: 'w', subjectId: 's' },
      { at: '2026-11-15T09:00:00.000Z', workspaceId: 'w' },
      { at: '2026-11-15T09:00:00.000Z', workspaceId: 'v' },
      { at: '2026-11-15T09:00:00.001Z', eventType: 'tool.invoked', subjectId: 's' },
      { at: '2026-10-31T23:59:59.999Z' },
    ]),
  )

  test('come newest first, with exactly their fields', async () => {
    const { events, next_cursor, request_id } = await listEvents('acme', november)
    expect({ next_cursor, request_id }).toEqual({ next_cursor: null, request_id: 'req_1' })
    expect(events).toHaveLength(4)
    expect(events[0]).toEqual({
      event_type: 'tool.invoked',
      quantity: 1,
      at: '2026-11-15T09:00:00.001Z',
      run_id: expect.stringMatching(/^run_[0-9a-z]{26}$/),
      key: expect.any(String),
      workspace_id: null,
      subject_id: 's',
    })
  })

  test.each([
    ['workspace_id=w', 2],
    ['subject_id=s', 2],
    ['workspace_id=w&subject_id=s', 1],
    ['event_type=run.created', 2],
    ['event_type=nobody.knows', 0],
  ])('are filtered like usage by %s', async (filter, count) => {
    expect((await listEvents('acme', `${november}&${filter}`)).events).toHaveLength(count)
  })

  test('come page by page, each once, also those of one instant', async () => {
    const all = (await listEvents('acme', november)).events
    const paged: UsageEventPage['events'] = []
    let cursor = ''
    for (let page = 0; page < 4; page += 1) {
      const { events, next_cursor } = await listEvents('acme', `${november}&limit=1${cursor}`)
      paged.push(...events)
      cursor = `&cursor=${next_cursor}`
    }
    expect(paged).toEqual(all)
    expect(cursor).toBe('&cursor=null')
  })

  test('are only those of the customer', async () => {
    expect((await listEvents('nobody', november)).events).toEqual([])
  })

  test.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'granularity=day',
    'group_by=workspace_id',
    'cursor=',
    'cursor=%00',
    'cursor=AAAA',
    `cursor=${Buffer.from('2026-99-15T09:00:00.000000Z 00000000-0000-4000-8000-000000000000 k').toString('base64url')}`,
  ])('%s is refused', async (query) => {
    await expect(async () => listEvents('acme', `${november}&${query}`)).rejects.toMatchObject({ reason })
  })
})
