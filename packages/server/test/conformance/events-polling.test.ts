// GET /v1/runs/{id}/events: pages by cursor and limit that neither skip nor repeat.
import type { EventPage } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver, deltas, driverRequestId } from '../support/drive.ts'
import { anEvent, Caller, expectRefusal, requestIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let driver: Driver
let long: string
const total = 250
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  driver = new Driver(service.database)
  long = (await acme.newRun()).id
  await driver.progress(long, { events: deltas(total - 2) })
})
afterAll(() => service.stop())

const poll = (id: string, query = '') => acme.get(`/v1/runs/${id}/events${query}`)
const page = async (query = '', id = long) => (await poll(id, query)).json<EventPage>()
const seqs = ({ events }: EventPage) => events.map(({ seq }) => seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

test('a page has exactly its fields', async () => {
  const run = await acme.newRun()
  const value = { request_id: run.request_id, routing: expect.any(Object) }
  expect(await page('', run.id)).toEqual({
    events: [anEvent(1, 'run.created', value, true)],
    next_cursor: 1,
    request_id: expect.stringMatching(requestIdPattern),
  })
})

test('seq is 1, 2, 3 … without gaps, and times never go back', async () => {
  const events = [...(await page('?limit=200')).events, ...(await page('?limit=200&cursor=200')).events]
  expect(events.map(({ seq }) => seq)).toEqual(range(1, total))
  const times = events.map(({ timestamp }) => timestamp)
  expect(times).toEqual([...times].sort())
})

test('what a worker writes keeps its payload', async () => {
  const { id } = await acme.newRun()
  const from = { request_id: driverRequestId, from_status: 'queued', to_status: 'running', reason_code: null }
  await driver.toStalled(id, 'step_timeout')
  expect((await page('', id)).events.slice(1)).toEqual([
    anEvent(2, 'run.worker.started', from),
    anEvent(3, 'run.worker.stalled', {
      ...from,
      from_status: 'running',
      to_status: 'stalled',
      reason_code: 'step_timeout',
    }),
  ])
})

test('a page has at most 4 MiB, but at least one event; next_cursor leads through all of them', async () => {
  const { id } = await acme.newRun()
  const text = (megabytes: number) => 'x'.repeat(megabytes * 1024 * 1024)
  const event = (size: number) => ({ type: 'step.progress', payload: { content_delta: text(size) } }) as const
  await driver.progress(id, { events: [1.5, 1.5, 0.9, 5, 0.1, 3, 0.5].map(event) })
  const pages: number[][] = []
  for (let cursor = 0; cursor < 9; ) {
    const reply = await poll(id, `?cursor=${cursor}`)
    const answer = reply.json<EventPage>()
    pages.push(seqs(answer))
    if (answer.events.length > 1) expect(reply.text.length).toBeLessThan(4.1 * 1024 * 1024)
    cursor = answer.next_cursor
  }
  expect(pages).toEqual([[1, 2, 3, 4, 5], [6], [7, 8, 9]])
})

describe('wait', () => {
  test('answers as soon as there is an event', async () => {
    const { id } = await acme.newRun()
    const waiting = page('?cursor=1&wait=25', id)
    await acme.post(`/v1/runs/${id}/cancel`)
    expect(await waiting).toMatchObject({ events: [{ seq: 2, type: 'run.cancelled' }], next_cursor: 2 })
  })

  test('hears of an event that another process committed', async () => {
    const { id } = await acme.newRun()
    const waiting = page('?cursor=1&wait=25', id)
    await driver.progress(id, { events: deltas(2) })
    expect((await waiting).events[0]).toMatchObject({ seq: 2, type: 'run.worker.started' })
  })

  test('answers at once if there are events already', async () => {
    expect(seqs(await page('?cursor=248&wait=25'))).toEqual([249, 250])
  })

  test('answers at once if the run has ended and the client has all of its events', async () => {
    const { id } = await acme.newRun()
    await acme.post(`/v1/runs/${id}/cancel`)
    const { next_cursor: last } = await page('', id)
    expect(await page(`?cursor=${last}&wait=25`, id)).toMatchObject({ events: [], next_cursor: last })
  })

  test('answers with an empty page and the same cursor when the time is up', async () => {
    const { id } = await acme.newRun()
    const startedAt = performance.now()
    expect(await page('?cursor=1&wait=1', id)).toMatchObject({ events: [], next_cursor: 1 })
    expect(performance.now() - startedAt).toBeGreaterThan(900)
  })

  test('an unknown run, or a run of another customer, is not waited for', async () => {
    const stranger = new Caller(service.url, service.otherKey)
    expectRefusal(await stranger.get(`/v1/runs/${long}/events?cursor=250&wait=25`), 404, 'RUN_NOT_FOUND')
  })

  test.each(['-1', '26', '1.5', 'x', ''])('%j is refused', async (wait) => {
    expectRefusal(await poll(long, `?wait=${wait}`), 400, 'EVENTS_QUERY_PARAMS_INVALID')
  })

  test('is answered when the service stops', async () => {
    const other = await startService()
    const caller = new Caller(other.url, other.key)
    const { id } = await caller.newRun()
    const waiting = caller.get(`/v1/runs/${id}/events?cursor=1&wait=25`)
    await caller.get(`/v1/runs/${id}`)
    await other.stop()
    expectRefusal(await waiting, 503, 'SHUTTING_DOWN')
  })
})

describe('cursor and limit', () => {
  test.each([
    ['', range(1, 100), 100],
    ['?limit=1', [1], 1],
    ['?limit=200', range(1, 200), 200],
    ['?cursor=0&limit=2', [1, 2], 2],
    ['?cursor=5&limit=3', [6, 7, 8], 8],
    ['?cursor=200&limit=200', range(201, 250), 250],
    ['?cursor=249', [250], 250],
    ['?cursor=250', [], 250],
    ['?cursor=251', [], 251],
    ['?cursor=2147483647', [], 2_147_483_647],
    ['?cursor=2147483648', [], 2_147_483_648],
    ['?cursor=9007199254740991', [], Number.MAX_SAFE_INTEGER],
  ])('%s', async (query, expected, next) => {
    const answer = await page(query)
    expect(seqs(answer)).toEqual(expected)
    expect(answer.next_cursor).toBe(next)
  })

  test.each([1, 7, 100, 200])('in steps of %i lead through all events once', async (limit) => {
    const seen: number[] = []
    for (let cursor = 0; cursor < total; ) {
      const answer = await page(`?cursor=${cursor}&limit=${limit}`)
      seen.push(...seqs(answer))
      cursor = answer.next_cursor
    }
    expect(seen).toEqual(range(1, total))
  })

  test('next_cursor returns only what is newer, and the cursor itself while there is nothing', async () => {
    const { id } = await acme.newRun()
    const { next_cursor } = await page('', id)
    expect(await page(`?cursor=${next_cursor}`, id)).toMatchObject({ events: [], next_cursor })
    await acme.post(`/v1/runs/${id}/cancel`)
    expect(seqs(await page(`?cursor=${next_cursor}`, id))).toEqual([2])
  })
})

describe('a bad query answers 400', () => {
  test.each([
    ...[
      'cursor=',
      'cursor=-1',
      'cursor=1.5',
      'cursor=x',
      'cursor=1e3',
      'cursor=%2B1',
      'cursor=0x10',
      'cursor=1&cursor=1',
    ],
    ...['cursor=%201', 'cursor=null', 'cursor=NaN', 'cursor=Infinity', 'cursor=1,2', 'cursor[]=1', 'cursor'],
    ...[
      'limit=',
      'limit=0',
      'limit=201',
      'limit=-1',
      'limit=1.5',
      'limit=x',
      'limit=1&limit=2',
      'limit=99999999999999999999',
    ],
    ...['nonsense=1', 'Cursor=1', 'after=1', 'cursor=1&nonsense=1', '='],
  ])('?%s', async (query) => {
    expectRefusal(await poll(long, `?${query}`), 400, 'EVENTS_QUERY_PARAMS_INVALID')
  })

  test('before it is known whether there is such a run', async () => {
    expectRefusal(await poll('nonsense', '?limit=0'), 400, 'EVENTS_QUERY_PARAMS_INVALID')
  })

  test('and the message names the parameter', async () => {
    expect((await poll(long, '?nonsense_parameter=1')).json().message).toContain('nonsense_parameter')
    expect((await poll(long, '?limit=0')).json().message).toContain('limit')
  })
})

test.each(['nonsense', 'run_00000000000000000000000000'])('the events of %s answer 404', async (id) => {
  expectRefusal(await poll(id), 404, 'RUN_NOT_FOUND')
})
