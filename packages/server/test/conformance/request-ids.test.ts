// The request id: kept when it is well-formed, made when not, and the same in body, header, log and events.
import type { ErrorBody, Run } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller, type Reply, wireIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const idOf = (reply: Reply) => reply.headers['x-request-id']

describe('an incoming x-request-id', () => {
  test.each(['a', 'checkout-7.retry_1', 'A'.repeat(128), '0', '.', '_', '-', 'req_01m7f8njhpfr3r11b2qvdrpr6e'])(
    '%s is kept',
    async (id) => {
      const reply = await acme.get('/v1/usage', { 'x-request-id': id })
      expect([idOf(reply), reply.json().request_id]).toEqual([id, id])
    },
  )

  test.each([
    '',
    ' ',
    'a b',
    'A'.repeat(129),
    'a/b',
    'a:b',
    'é',
    'a\tb',
    '"a"',
    '{}',
    'a,b',
    'a;b',
    '<script>',
    '$(id)',
    '%0a',
  ])('"%s" is replaced by one that was made', async (id) => {
    const reply = await acme.get('/v1/usage', { 'x-request-id': id })
    expect(idOf(reply)).toMatch(wireIdPattern('req'))
    expect(reply.json().request_id).toBe(idOf(reply))
  })

  test('that is missing is made, each time another', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => acme.get('/v1/usage')))
    expect(new Set(replies.map(idOf)).size).toBe(20)
    for (const reply of replies) expect(idOf(reply)).toMatch(wireIdPattern('req'))
  })
})

describe('the id stands in the body and in the header of', () => {
  const asks: [string, () => Promise<Reply>, number][] = [
    ['create', () => acme.create(undefined, { 'x-request-id': 'mine' }), 201],
    ['list', () => acme.get('/v1/runs', { 'x-request-id': 'mine' }), 200],
    ['usage', () => acme.get('/v1/usage', { 'x-request-id': 'mine' }), 200],
    ['keys', () => acme.get('/v1/keys', { 'x-request-id': 'mine' }), 200],
    ['a new key', () => acme.post('/v1/keys', {}, { 'x-request-id': 'mine' }), 201],
    ['a 400', () => acme.post('/v1/runs', '{', { 'x-request-id': 'mine' }), 400],
    ['a 401', () => new Caller(service.url, null).get('/v1/usage', { 'x-request-id': 'mine' }), 401],
    ['a 404', () => acme.get('/v1/runs/nonsense', { 'x-request-id': 'mine' }), 404],
    ['an unknown route', () => acme.get('/nonsense', { 'x-request-id': 'mine' }), 404],
    ['an undecodable path', () => acme.get('/v1/runs/%zz', { 'x-request-id': 'mine' }), 404],
  ]
  test.each(asks)('%s', async (_case, ask, status) => {
    const reply = await ask()
    expect([reply.status, idOf(reply), reply.json().request_id]).toEqual([status, 'mine', 'mine'])
  })

  test('get, events, cancel and a conflict', async () => {
    const { id } = await acme.newRun()
    const headers = { 'x-request-id': 'mine' }
    const paths = [`/v1/runs/${id}`, `/v1/runs/${id}/events`]
    const replies = await Promise.all(paths.map((path) => acme.get(path, headers)))
    replies.push(
      await acme.post(`/v1/runs/${id}/cancel`, undefined, headers),
      await acme.post(`/v1/runs/${id}/cancel`, undefined, headers),
    )
    for (const reply of replies) expect([idOf(reply), reply.json().request_id]).toEqual(['mine', 'mine'])
  })
})

test.each(['/v1/memory/items', '/v1/memory/export', '/health/live', '/health/ready', '/health/deps', '/openapi.json'])(
  'the body of %s has none, its header has',
  async (path) => {
    const reply = await acme.get(path, { 'x-request-id': 'mine' })
    expect(reply.json()).not.toHaveProperty('request_id')
    expect(idOf(reply)).toBe('mine')
  },
)

describe('in events', () => {
  const requestIds = async (id: string) => (await acme.events(id)).map(({ payload }) => payload.value.request_id)
  const as = (name: string) => ({ 'x-request-id': name })

  test('what a request wrote carries that request’s id', async () => {
    const driver = new Driver(service.database)
    const { id } = (await acme.create(undefined, as('the-create'))).json<Run>()
    await driver.toFailed(id)
    await acme.post(`/v1/runs/${id}/retry`, undefined, as('the-retry'))
    await driver.toStalled(id)
    await acme.post(`/v1/runs/${id}/resume`, undefined, as('the-resume'))
    await driver.toAwaiting(id)
    await acme.post(`/v1/runs/${id}/signal`, { action: 'reject' }, as('the-signal'))
    const written = (await requestIds(id)).filter((each) => each !== 'req_driver')
    expect(written).toEqual(['the-create', 'the-retry', 'the-resume', 'the-signal', 'the-signal'])
  })

  test('a cancel carries its own', async () => {
    const { id } = await acme.newRun()
    await acme.post(`/v1/runs/${id}/cancel`, undefined, as('the-cancel'))
    expect((await requestIds(id)).at(-1)).toBe('the-cancel')
  })
})

test.each([
  ['a good request', '/v1/usage', 'logged-1'],
  ['a refused one', '/v1/runs/nonsense', 'logged-2'],
])('%s leaves a log line with its id', async (_case, path, id) => {
  await acme.get(path, { 'x-request-id': id })
  await service.log.nth(1, (line) => line.includes(id))
  for (const line of service.log.all.filter((each) => each.includes(id)))
    expect(() => JSON.parse(line) as ErrorBody).not.toThrow()
})
