// GET /v1/runs/stream: the first page of a list, then only what is different.
import type { KeyWithSecret, ListedRun, RunList, RunsChanged, RunsPage } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller, expectRefusal, type SseStream } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
const opened: SseStream[] = []
beforeAll(async () => {
  service = await startService({ RUNWRIGHT_SSE_KEEPALIVE_SECONDS: '0.2' })
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
})
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
})
afterAll(() => service.stop())

async function follow(query = '', caller = acme): Promise<SseStream> {
  const stream = await caller.stream(`/v1/runs/stream${query}`)
  opened.push(stream)
  if (stream.status === 200) await stream.until(({ messages }) => messages.some(({ event }) => event === 'runs.page'))
  return stream
}

const dataOf = <T>(stream: SseStream, name: string): T[] =>
  stream.messages.flatMap(({ event, data }) => (event === name ? [JSON.parse(data ?? '') as T] : []))
const pageOf = (stream: SseStream) => dataOf<RunsPage>(stream, 'runs.page')[0]
const changesOf = (stream: SseStream) => dataOf<RunsChanged>(stream, 'runs.changed')
const putIn = (stream: SseStream) => changesOf(stream).flatMap(({ put }) => put)
const goneFrom = (stream: SseStream) => changesOf(stream).flatMap(({ gone }) => gone)
const hasPut = (id: string, status: string) => (stream: SseStream) =>
  putIn(stream).some((run) => run.id === id && run.status === status)
const idsOf = (runs: readonly ListedRun[] = []) => runs.map(({ id }) => id)
const list = async (query: string) => (await acme.get(`/v1/runs${query}`)).json<RunList>()

describe('the first message', () => {
  test('is the first page of the list, with its filters, parts and cursor', async () => {
    await acme.newRun({ workspace_id: 'first', metadata: { title: 'One' } })
    await acme.newRun({ workspace_id: 'first', metadata: { title: 'Two' } })
    const query = '?workspace_id=first&include=title,limits&limit=1'
    const stream = await follow(query)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream\b/)
    const { request_id, ...page } = await list(query)
    expect(pageOf(stream)).toEqual(page)
    expect(page.next_cursor).not.toBeNull()
    expect(request_id).toBeDefined()
  })

  test('is empty if the customer has no such runs', async () => {
    expect(pageOf(await follow('?workspace_id=nobody'))).toEqual({ runs: [], next_cursor: null })
    expect(pageOf(await follow('?status=failed&awaiting_input=true'))).toEqual({ runs: [], next_cursor: null })
  })
})

describe('a change', () => {
  test('of a run, a new run and a run that leaves the page arrive, and nothing else', async () => {
    const { id: oldest } = await acme.newRun({ workspace_id: 'live' })
    const { id: kept } = await acme.newRun({ workspace_id: 'live' })
    const stream = await follow('?workspace_id=live&limit=2&include=title')
    const { id: added } = await acme.newRun({ workspace_id: 'live', metadata: { title: 'Added' } })
    await stream.until(hasPut(added, 'queued'))
    expect(putIn(stream)).toEqual([expect.objectContaining({ id: added, title: 'Added' })])
    expect(goneFrom(stream)).toEqual([oldest])
    expect(changesOf(stream).at(-1)?.next_cursor).toEqual(expect.any(String))
    await acme.post(`/v1/runs/${kept}/cancel`)
    await stream.until(hasPut(kept, 'cancelled'))
    expect(idsOf(putIn(stream))).toEqual([added, kept])
  })

  test('that takes a run out of the filter removes it, and one that puts it in adds it', async () => {
    const { id } = await acme.newRun({ workspace_id: 'filter' })
    const [queued, cancelled] = [
      await follow('?workspace_id=filter&status=queued'),
      await follow('?workspace_id=filter&status=cancelled,failed'),
    ]
    expect([idsOf(pageOf(queued)?.runs), idsOf(pageOf(cancelled)?.runs)]).toEqual([[id], []])
    await acme.post(`/v1/runs/${id}/cancel`)
    await Promise.all([
      queued.until((stream) => goneFrom(stream).includes(id)),
      cancelled.until(hasPut(id, 'cancelled')),
    ])
    expect(putIn(queued)).toEqual([])
  })

  test('that no message announced is found by the regular check', async () => {
    const { id } = await acme.newRun({ workspace_id: 'silent' })
    const stream = await follow('?workspace_id=silent&include=awaiting_input')
    await new Driver(service.database).toAwaiting(id)
    await stream.until((stream) => putIn(stream).some((run) => run.awaiting_input?.prompt === 'Pay?'), 10_000)
  })

  test('of another customer sends nothing', async () => {
    const [ours, theirs] = [await follow('?limit=200'), await follow('?limit=200', other)]
    const before = idsOf(pageOf(theirs)?.runs)
    const { id } = await acme.newRun()
    await ours.until(hasPut(id, 'queued'))
    const { id: own } = await other.newRun()
    await theirs.until(hasPut(own, 'queued'))
    expect(idsOf(putIn(theirs))).toEqual([own])
    expect(before).not.toContain(id)
    expect(theirs.text).not.toContain(id)
    expect(ours.text).not.toContain(own)
  })
})

test('a list without changes costs comments only', async () => {
  await acme.newRun({ workspace_id: 'idle' })
  const stream = await follow('?workspace_id=idle&include=title')
  const bytes = stream.text.length
  // Longer than the regular check takes.
  await stream.until(({ comments }) => comments.length >= 30, 15_000)
  expect(stream.text.slice(bytes).replaceAll(': keep-alive\n\n', '')).toBe('')
})

describe('a query', () => {
  test.each(['cursor=x', 'limit=0', 'limit=201', 'status=done', 'nonsense=1', 'created_after=-1', 'q=%20'])(
    '?%s answers 400',
    async (query) => {
      expectRefusal(await acme.get(`/v1/runs/stream?${query}`), 400, 'RUNS_QUERY_PARAMS_INVALID')
    },
  )

  test('needs runs:read', async () => {
    const { key, secret } = (await acme.post('/v1/keys', { scopes: ['usage:read'] })).json<KeyWithSecret>()
    const caller = new Caller(service.url, `${key.id}:${secret}`)
    expectRefusal(await caller.get('/v1/runs/stream'), 403, 'SCOPE_DENIED')
  })

  test('by HEAD answers without a body', async () => {
    const reply = await acme.send({ method: 'HEAD', path: '/v1/runs/stream' })
    expect([reply.status, reply.text]).toEqual([200, ''])
  })
})

test('a customer can follow 100 different lists, shared by any number of streams', async () => {
  const streams: SseStream[] = []
  for (let n = 0; n < 100; n += 1) streams.push(await follow(`?workspace_id=${n}`, other))
  expect((await follow('?workspace_id=7', other)).status).toBe(200)
  expectRefusal(await other.get('/v1/runs/stream?workspace_id=100'), 429, 'STREAM_LIMIT_REACHED')
  expect((await follow('?workspace_id=100')).status).toBe(200)
})

describe('an open stream', () => {
  const errorsOf = (stream: SseStream) => dataOf<{ reason_code: string }>(stream, 'error')
  const hasError = (stream: SseStream) => errorsOf(stream).length > 0

  test('ends when its key is revoked', async () => {
    const { key, secret } = (await acme.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
    const stream = await follow('', new Caller(service.url, `${key.id}:${secret}`))
    await acme.send({ method: 'DELETE', path: `/v1/keys/${key.id}` })
    await stream.until(hasError, 30_000)
    await stream.closed
    expect(errorsOf(stream)).toEqual([expect.objectContaining({ reason_code: 'API_KEY_REVOKED' })])
  }, 45_000)

  test('ends with the service', async () => {
    const stopping = await startService()
    const stream = await follow('', new Caller(stopping.url, stopping.key))
    await Promise.all([stopping.stop(), stream.until(hasError), stream.closed])
    expect(errorsOf(stream)).toEqual([expect.objectContaining({ reason_code: 'SHUTTING_DOWN' })])
  })
})
