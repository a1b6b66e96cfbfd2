// The routes below /v1/schedules, on a service that sweeps and executes no runs.
import {
  type ErrorBody,
  type KeyWithSecret,
  listedScheduleSchema,
  type Run,
  type Schedule,
  type ScheduleList,
  type Scope,
  scheduleListSchema,
  scheduleResultSchema,
} from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { Caller, emptyRun, jsonType } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
})
afterAll(() => service.stop())
beforeEach(() => service.database.run({ text: 'delete from schedules' }))

const daily = { cron: '0 9 * * *', run: emptyRun }

const patch = (id: string, body: unknown, caller = acme) =>
  caller.send({ method: 'PATCH', path: `/v1/schedules/${id}`, body, headers: jsonType })

async function create(body: object = {}, caller = acme): Promise<Schedule> {
  const reply = await caller.post('/v1/schedules', { ...daily, ...body })
  expect(reply.status, reply.text).toBe(201)
  return scheduleResultSchema.strict().parse(reply.json()).schedule
}

async function change(id: string, body: object): Promise<Schedule> {
  const reply = await patch(id, body)
  expect(reply.status, reply.text).toBe(200)
  return scheduleResultSchema.strict().parse(reply.json()).schedule
}

const get = async (id: string) => scheduleResultSchema.parse((await acme.get(`/v1/schedules/${id}`)).json()).schedule

const newKey = async (scope: Scope) => (await acme.post('/v1/keys', { scopes: [scope] })).json<KeyWithSecret>()

const holder = ({ key, secret }: KeyWithSecret) => new Caller(service.url, `${key.id}:${secret}`)

async function refusalOf(reply: Promise<{ status: number; json<T>(): T }>) {
  const { status, json } = await reply
  const { reason_code, message } = json<ErrorBody>()
  return { status, reason_code, message }
}

describe('one schedule', () => {
  test('is created, read, listed and deleted', async () => {
    const run = { input: { goal: 'Report' }, metadata: { a: 1 }, subject_id: 'u' }
    const schedule = await create({ name: 'Daily', time_zone: 'Europe/Berlin', catch_up: 'all', run })
    expect(schedule).toMatchObject({
      id: expect.stringMatching(/^sched_/),
      ...{ name: 'Daily', cron: '0 9 * * *', time_zone: 'Europe/Berlin', catch_up: 'all', paused: false, run },
      ...{ last_at: null, last_run_id: null, last_error: null, missed: 0 },
    })
    const berlin = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeStyle: 'short', hourCycle: 'h23' })
    expect(berlin.format(new Date(schedule.next_at ?? ''))).toBe('09:00')
    expect(await get(schedule.id)).toEqual(schedule)
    const { run: _, ...listed } = schedule
    expect(scheduleListSchema.strict().parse((await acme.get('/v1/schedules')).json()).schedules).toEqual([
      listedScheduleSchema.strict().parse(listed),
    ])
    const deleted = await acme.send({ method: 'DELETE', path: `/v1/schedules/${schedule.id}` })
    const request_id = deleted.headers['x-request-id']
    expect([deleted.status, deleted.json()]).toEqual([200, { id: schedule.id, deleted: true, request_id }])
    expect(await refusalOf(acme.get(`/v1/schedules/${schedule.id}`))).toMatchObject({
      status: 404,
      reason_code: 'SCHEDULE_NOT_FOUND',
    })
  })

  test('has defaults', async () => {
    expect(await create()).toMatchObject({ name: null, time_zone: 'UTC', catch_up: 'skip' })
  })

  test('keeps what a change leaves out, and its next tick', async () => {
    const schedule = await create()
    const run = { input: { goal: 'Another' }, metadata: {} }
    const changed = await change(schedule.id, { run, catch_up: 'latest' })
    expect(changed).toEqual({ ...schedule, run, catch_up: 'latest', updated_at: changed.updated_at })
    expect(await change(schedule.id, {})).toEqual(changed)
  })

  test('has another next tick after a change of its times', async () => {
    const { id } = await create()
    expect((await change(id, { cron: '30 10 * * *' })).next_at).toMatch(/T10:30:00\.000Z$/)
    expect((await change(id, { time_zone: 'Asia/Kolkata' })).next_at).toMatch(/T05:00:00\.000Z$/)
  })

  test('has no next tick while it is paused', async () => {
    const { id, next_at } = await create()
    expect(await change(id, { paused: true })).toMatchObject({ paused: true, next_at: null })
    expect(await change(id, { cron: '0 10 * * *' })).toMatchObject({ paused: true, next_at: null })
    expect(await change(id, { cron: '0 9 * * *', paused: false })).toMatchObject({ paused: false, next_at, missed: 0 })
  })

  test('belongs to its customer', async () => {
    const { id } = await create()
    const path = `/v1/schedules/${id}`
    const refusals = [other.get(path), patch(id, {}, other), other.send({ method: 'DELETE', path })].map(refusalOf)
    for (const refusal of await Promise.all(refusals)) expect(refusal).toMatchObject({ status: 404 })
    expect((await other.get('/v1/schedules')).json<ScheduleList>().schedules).toEqual([])
    expect((await get(id)).id).toBe(id)
  })
})

test('sensitive values are stored encrypted and shown masked', async () => {
  const run = {
    input: { password: 'hunter2', note: 'it is hunter2' },
    metadata: {},
    sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
    plan: { steps: [{ id: 'a', instruction: 'Use hunter2.' }] },
  }
  const { id, run: shown } = await create({ run })
  expect(shown).toMatchObject({ input: { password: '***', note: 'it is ***' }, sensitivity_tags: run.sensitivity_tags })
  expect((await acme.get(`/v1/schedules/${id}`)).text).not.toContain('hunter2')
  const [row] = await service.database.run<{ row: string; sealed: Buffer }>({
    text: 'select s::text as row, sealed from schedules s',
  })
  expect([row?.row, row?.sealed.toString('latin1')].join()).not.toContain('hunter2')
})

describe('a request is refused', () => {
  test.each([
    [{ cron: '* * * * * *' }, /^cron: must have five fields/],
    [{ cron: '61 * * * *' }, /^cron: is not a valid cron expression/],
    [{ cron: '0 0 31 2 *' }, /^cron: never fires/],
    [{ time_zone: 'Mars/Olympus' }, /^time_zone: is not a known IANA time zone/],
    [{ catch_up: 'never' }, /^catch_up must be one of "skip", "latest", "all"\.$/],
    [{ run: [] }, /^run must be an object\.$/],
    [{ run: undefined }, /^run is required\.$/],
    [{ seconds: 1 }, /^seconds is not a known field\.$/],
  ])('%j', async (body, message) => {
    const refusal = { status: 400, reason_code: 'SCHEDULE_PAYLOAD_INVALID', message: expect.stringMatching(message) }
    expect(await refusalOf(acme.post('/v1/schedules', { ...daily, ...body }))).toEqual(refusal)
  })

  test.each([
    [{ input: {} }],
    [{ input: {}, metadata: {}, run_class: 'huge' }],
    [{ input: { password: 'x' }, metadata: {} }],
    [{ input: {}, metadata: {}, plan: { steps: [{ id: 'a', tool: 'no_such_tool', input: {} }] } }],
    [{ input: { text: 'x'.repeat(300_000) }, metadata: {} }],
    [{ input: { output_schema: { type: 'nonsense' } }, metadata: {} }],
    [{ input: { output_schema: { pattern: 'a{0,1000}'.repeat(400) } }, metadata: {} }],
  ])('as a create is, if the run is wrong: %#', async (run) => {
    const { message, ...refusal } = await refusalOf(acme.create(run))
    const expected = { ...refusal, message: `run: ${message}` }
    expect(refusal.status).toBe(400)
    expect(await refusalOf(acme.post('/v1/schedules', { ...daily, run }))).toEqual(expected)
    const { id } = await create()
    expect(await refusalOf(patch(id, { run }))).toEqual(expected)
  })

  test('if a change would make it never fire, and nothing changes', async () => {
    const schedule = await create()
    expect(await refusalOf(patch(schedule.id, { cron: '0 0 30 2 *', catch_up: 'all' }))).toMatchObject({
      reason_code: 'SCHEDULE_PAYLOAD_INVALID',
    })
    expect(await get(schedule.id)).toEqual(schedule)
  })

  test('if the customer has 1,000 schedules', async () => {
    await create()
    await service.database.run({
      text: `
insert into schedules (customer_id, id, cron, time_zone, catch_up, run, sealed, sealed_key)
select customer_id, gen_random_uuid(), cron, time_zone, catch_up, run, sealed, sealed_key
from schedules, generate_series(1, 999)`,
    })
    expect(await refusalOf(acme.post('/v1/schedules', daily))).toEqual({
      status: 409,
      reason_code: 'LIMIT_REACHED',
      message: 'A customer can have at most 1000 schedules. Delete one first.',
    })
    expect((await create({}, other)).id).toMatch(/^sched_/)
  })

  test('if the key lacks the scope', async () => {
    const { id } = await create()
    const [reader, writer] = [holder(await newKey('runs:read')), holder(await newKey('runs:write'))]
    const path = `/v1/schedules/${id}`
    const statuses = async (caller: Caller) => [
      (await caller.get(path)).status,
      (await caller.get('/v1/schedules')).status,
      (await caller.post('/v1/schedules', daily)).status,
      (await patch(id, {}, caller)).status,
    ]
    expect(await statuses(reader)).toEqual([200, 200, 403, 403])
    expect(await statuses(writer)).toEqual([403, 403, 201, 200])
  })
})

test('the list has pages, newest first', async () => {
  const ids = [(await create()).id, (await create()).id, (await create()).id].reverse()
  const first = (await acme.get('/v1/schedules?limit=2')).json<ScheduleList>()
  expect(first.schedules.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  const second = (await acme.get(`/v1/schedules?limit=2&cursor=${first.next_cursor}`)).json<ScheduleList>()
  expect([second.schedules.map(({ id }) => id), second.next_cursor]).toEqual([ids.slice(2), null])
  expect(await refusalOf(acme.get('/v1/schedules?cursor=abc'))).toMatchObject({
    status: 400,
    reason_code: 'SCHEDULES_QUERY_PARAMS_INVALID',
  })
})

test('a change of the name alone leaves everything else, and is told by updated_at', async () => {
  const schedule = await create({ name: 'a' })
  const named = (await patch(schedule.id, { name: 'b' })).json<{ schedule: Schedule }>().schedule
  expect(named).toEqual({ ...schedule, name: 'b', updated_at: expect.any(String) })
  expect(named.updated_at > schedule.updated_at).toBe(true)
  expect(await get(schedule.id)).toEqual(named)
  expect((await patch(schedule.id, { name: 'b' })).json<{ schedule: Schedule }>().schedule).toEqual(named)
  for (const name of ['', null, 1, 'x'.repeat(256)]) {
    expect(await refusalOf(patch(schedule.id, { name }))).toMatchObject({ reason_code: 'SCHEDULE_PAYLOAD_INVALID' })
  }
})

test('a tick creates a run, also after the key that created the schedule was revoked', async () => {
  const key = await newKey('runs:write')
  const run = { ...emptyRun, workspace_id: 'w', run_class: 'short' }
  const { id } = await create({ cron: '0 0 1 1 *', run }, holder(key))
  expect((await acme.send({ method: 'DELETE', path: `/v1/keys/${key.key.id}` })).status).toBe(200)
  const stream = await acme.stream('/v1/events/stream')
  await service.database.run({
    text: "update schedules set next_at = date_trunc('second', now()), due_at = now() where id = $1",
    values: [fromWireId('sched', id)],
  })
  await stream.until(({ text }) => text.includes(id))
  stream.close()
  const [listed] = (await acme.get('/v1/runs?workspace_id=w')).json<{ runs: Run[] }>().runs
  expect(listed).toMatchObject({ status: 'queued', run_class: 'short' })
  const [created] = await acme.events(listed?.id ?? '')
  expect(created).toMatchObject({ type: 'run.created', payload: { value: { request_id: id } } })
})
