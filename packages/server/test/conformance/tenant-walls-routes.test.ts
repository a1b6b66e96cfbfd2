// The walls between customers at every route of the contract: a route that is not in these tables fails the test.
import { type KeyWithSecret, routes, type ScheduleResult, type WebhookWithSecret } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AuditChainer } from '../../src/maintenance/chain-audit.ts'
import { newWireId } from '../../src/runtime/ids.ts'
import { linksOn } from '../support/decision-links.ts'
import { Driver, remember, rowCounts } from '../support/drive.ts'
import { Caller, emptyRun, jsonType, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const secret = 'secret-project'
const foreign: Record<string, string> = {}
let service: Service
let acme: Caller
let other: Caller

beforeAll(async () => {
  service = await startService({ RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow', ...linksOn })
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  const run = { ...emptyRun, workspace_id: secret, subject_id: secret }
  foreign.runs = (await acme.newRun(run)).id
  await new Driver(service.database).toFailed(foreign.runs)
  foreign.memory = await remember(service.database, { title: secret, content: secret })
  foreign.keys = (await acme.post('/v1/keys', { name: secret })).json<KeyWithSecret>().key.id
  const schedule = await acme.post('/v1/schedules', { name: secret, cron: '0 9 * * *', run })
  foreign.schedules = schedule.json<ScheduleResult>().schedule.id
  const webhook = await acme.post('/v1/webhooks', { url: 'http://127.0.0.1:9/secret-project' })
  foreign.webhooks = webhook.json<WebhookWithSecret>().webhook.id
  foreign.workspaces = secret
  foreign.subjects = secret
  for (const path of ['customer', `workspaces/${secret}`, `subjects/${secret}`])
    expect((await put(acme, `/v1/budgets/${path}`)).status).toBe(200)
  // The service does it every second; the list shall have something to hide.
  await new AuditChainer(service.database).runOnce()
})
afterAll(() => service.stop())

const budget = { period: 'day', tokens: 123_456_789 }
const put = (caller: Caller, path: string) => caller.send({ method: 'PUT', path, body: budget, headers: jsonType })

const randomIds: Readonly<Record<string, () => string>> = {
  runs: () => newWireId('run'),
  memory: () => newWireId('mem'),
  keys: () => newWireId('key'),
  schedules: () => newWireId('sched'),
  webhooks: () => newWireId('hook'),
  workspaces: () => 'no-such-place',
  subjects: () => 'no-such-place',
}

/** Valid bodies, so that nothing but the wall can refuse them. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /v1/runs/{id}/decision-links': { await_seq: 1, person: 'ada', expires_in: 60 },
  'POST /v1/runs/{id}/signal': { action: 'approve', idempotency_key: 'k' },
  'POST /v1/runs/{id}/fork': { from_step: 'a' },
  'PATCH /v1/schedules/{id}': { name: 'mine' },
  'PATCH /v1/webhooks/{id}': { paused: true },
  'POST /v1/webhooks/{id}/redeliver': { delivery_id: 'msg_1' },
}

/** A budget of a name that both customers use belongs to the one that sets it. */
const setsOwn = (route: string) => route.startsWith('PUT /v1/budgets/')
const all = Object.values(routes).filter(({ scope }) => scope !== null)
const named = all.map(({ method, path }) => `${method} ${path}`)
const withId = named.filter((route) => route.includes('{id}') && !setsOwn(route))
const kindOf = (route: string) => /([a-z]+)(?:\/items)?\/\{id\}/.exec(route)?.[1] ?? ''

/** Everything of an answer but the time, the request id and the id that was asked for. */
const faceOf = ({ status, headers, text }: Reply, id: string) => {
  const { date, 'x-request-id': requestId, ...rest } = headers
  return { status, headers: rest, text: text.replaceAll(id, '{id}').replaceAll(String(requestId), '') }
}

async function ask(route: string, id: string) {
  const [method = '', path = ''] = route.split(' ')
  const body = bodies[route]
  const headers = { ...(body === undefined ? {} : jsonType), 'idempotency-key': `${route} ${id}`.slice(0, 200) }
  return faceOf(await other.send({ method, path: path.replace('{id}', id), body, headers }), id)
}

test.each(withId)('%s answers for what another customer has as for what does not exist', async (route) => {
  const theirs = foreign[kindOf(route)]
  expect(theirs, 'the other customer has none').toBeDefined()
  const before = await rowCounts(service.database)
  const answer = await ask(route, theirs ?? '')
  expect(answer).toEqual(await ask(route, randomIds[kindOf(route)]?.() ?? ''))
  expect(answer.status).toBe(404)
  expect(await rowCounts(service.database)).toEqual(before)
})

const lists = named.filter((route) => route.startsWith('GET ') && !route.includes('{id}') && !route.endsWith('/stream'))
const streams = named.filter((route) => route.endsWith('/stream') && !route.includes('{id}'))

test.each(lists)('%s shows nothing of another customer', async (route) => {
  const path = route.slice('GET '.length)
  const marks = [...Object.values(foreign), '123456789', 'key_acme']
  const own = (await acme.get(path)).text
  const seen = await other.get(path)
  expect([200, 404]).toContain(seen.status)
  expect(marks.filter((mark) => seen.text.includes(mark))).toEqual([])
  // What the customer itself sees shows that there was something to hide. These have names of the installation only.
  if (!/agents|tools|counts|usage/.test(route)) expect(marks.filter((mark) => own.includes(mark))).not.toEqual([])
})

test.each(streams)('%s shows nothing of another customer', async (route) => {
  const stream = await other.stream(route.slice('GET '.length))
  const { id: theirs } = await acme.newRun({ workspace_id: secret })
  const { id: own } = await other.newRun()
  await stream.until(({ text }) => text.includes(own))
  stream.close()
  expect([theirs, ...Object.values(foreign)].filter((mark) => stream.text.includes(mark))).toEqual([])
})

test('a budget of the same name is another one', async () => {
  const path = `/v1/budgets/workspaces/${secret}`
  const before = (await acme.get(path)).json().budget
  await other.send({ method: 'PUT', path, body: { period: 'month', tokens: 1 }, headers: jsonType })
  expect((await acme.get(path)).json().budget).toEqual(before)
})

test('every route is in one of these tests, or only creates something', () => {
  const creates = ['POST /v1/runs', 'POST /v1/keys', 'POST /v1/schedules', 'POST /v1/webhooks', 'POST /v1/tokens']
  const ofCaller = ['DELETE /v1/budgets/customer']
  const covered = [...withId, ...lists, ...streams, ...creates, ...ofCaller, ...named.filter(setsOwn)]
  expect(named.filter((route) => !covered.includes(route))).toEqual([])
  expect(withId.length).toBeGreaterThan(20)
})
