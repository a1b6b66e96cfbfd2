// Where created things are, and what a path without an id answers.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService({ RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' })
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

describe.each([
  ['/v1/runs', emptyRun],
  ['/v1/keys', {}],
  ['/v1/schedules', { cron: '0 9 * * *', run: emptyRun }],
  ['/v1/webhooks', { url: 'http://127.0.0.1:9/' }],
])('%s', (path, body) => {
  test('answers 201 with the path of what was created', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const created = await acme.post(path, body, key)
    expect(created.status, created.text).toBe(201)
    const { location } = created.headers
    expect(location).toMatch(new RegExp(`^${path}/[a-z]+_[a-z0-9]+$`))
    expect(created.text).toContain(location?.slice(path.length + 1))
    expect((await acme.get(location ?? '')).status).toBe(200)
    const again = await acme.post(path, body, key)
    expect([again.status, again.headers.location]).toEqual([200, undefined])
  })

  test('with a slash at the end is a path without an id, not the list', async () => {
    const reply = await acme.get(`${path}/`)
    expectRefusal(reply, 404, 'ROUTE_NOT_FOUND')
    expect(reply.json<{ message: string }>().message).toContain('omit the slash')
    expectRefusal(await new Caller(service.url, null).get(`${path}/`), 401, 'AUTH_HEADER_MISSING')
  })
})

test('a command without an id is a path that does not exist', async () => {
  expectRefusal(await acme.post('/v1/runs//cancel'), 404, 'ROUTE_NOT_FOUND')
  expectRefusal(await acme.get('/v1/runs//events'), 404, 'ROUTE_NOT_FOUND')
})
