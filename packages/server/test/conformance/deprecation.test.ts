// What a client of a deprecated route is told. No route is deprecated today, so the test marks some.
import { openApiDocument, type Route, type RouteName, routes } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const marked: readonly RouteName[] = ['listAgents', 'getUsage', 'streamEvents']
const deprecated = { since: '2027-01-31', sunset: '2027-07-31', use: '`GET /v2/agents`' }
const told = {
  deprecation: '@1801353600',
  sunset: 'Sat, 31 Jul 2027 00:00:00 GMT',
  link: '</docs/compatibility.html>; rel="deprecation"; type="text/html"',
}
const origin = 'https://app.example.com'

let service: Service
let acme: Caller
beforeAll(async () => {
  for (const name of marked) Object.assign(routes[name], { deprecated })
  service = await startService({ RUNWRIGHT_CORS_ORIGINS: origin })
  acme = new Caller(service.url, service.key)
})
afterAll(async () => {
  for (const name of marked) delete (routes[name] as { deprecated?: Route['deprecated'] }).deprecated
  await service.stop()
})

test('an answer says since when the route is deprecated, when it may be gone, and where to read more', async () => {
  expect((await acme.get('/v1/agents')).headers).toMatchObject(told)
})

test.each([
  ['a bad query', '/v1/usage?granularity=year', 400, 'USAGE_QUERY_PARAMS_INVALID'],
  ['a run that does not exist', '/v1/runs/run_0/events/stream', 404, 'RUN_NOT_FOUND'],
])('so does the refusal of %s', async (_what, path, status, reason) => {
  const reply = await acme.get(path)
  expectRefusal(reply, status, reason)
  expect(reply.headers).toMatchObject(told)
})

test('so does a refusal without a key', async () => {
  expect((await new Caller(service.url, null).get('/v1/agents')).headers).toMatchObject(told)
})

test('so does a stream', async () => {
  const { id } = await acme.newRun()
  const stream = await acme.stream(`/v1/runs/${id}/events/stream`)
  expect([stream.status, stream.headers]).toMatchObject([200, told])
  stream.close()
})

test('a page of another origin can read the headers', async () => {
  const { headers } = await acme.get('/v1/agents', { origin })
  expect(headers).toMatchObject(told)
  expect(headers['access-control-expose-headers']).toContain('Deprecation, Sunset, Link')
})

test('a route that is not deprecated has no such headers', async () => {
  const { headers } = await acme.get('/v1/runs')
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['deprecation']))
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['sunset']))
})

describe('the schema', () => {
  const operationAt = (path: string) =>
    openApiDocument().paths[path]?.get as {
      readonly deprecated?: boolean
      readonly description: string
      readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>
    }

  test('marks the operation, says what to use instead, and lists the headers of every response', () => {
    const { description, responses, ...operation } = operationAt('/v1/agents')
    expect(operation.deprecated).toBe(true)
    expect(description).toContain('Deprecated since 2027-01-31. Removed on 2027-07-31. Use `GET /v2/agents` instead.')
    for (const { headers } of Object.values(responses)) {
      expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']))
    }
  })

  test('marks no other', () => {
    expect(operationAt('/v1/tools').deprecated).toBeUndefined()
    expect(operationAt('/v1/tools').description).not.toContain('eprecated')
  })
})
