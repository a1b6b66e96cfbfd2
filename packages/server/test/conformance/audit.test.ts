// GET /v1/audit: what each request leaves in the audit log. No process has the duty, so that the test itself chains.
import { createHash, randomUUID } from 'node:crypto'
import {
  type AuditAction,
  type AuditEntry,
  type AuditList,
  auditActions,
  auditListSchema,
  type CreatedRun,
  type CreatedWebhook,
  type KeyWithSecret,
  type RunDetail,
  type ScheduleResult,
} from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gateKey } from '../../src/domain/run/wait-keys.ts'
import { AuditChainer } from '../../src/maintenance/chain-audit.ts'
import { signIn } from '../support/console-session.ts'
import { freshDatabase } from '../support/database.ts'
import { linksOn } from '../support/decision-links.ts'
import { Driver, remember } from '../support/drive.ts'
import { holdDuty } from '../support/hold-duty.ts'
import { Caller, emptyRun, expectRefusal, jsonType } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
let driver: Driver
let chainer: AuditChainer
beforeAll(async () => {
  const host = await freshDatabase()
  await holdDuty(host.open(1))
  service = await startService(linksOn, { host })
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  driver = new Driver(service.database)
  chainer = new AuditChainer(service.database)
})
afterAll(() => service.stop())

async function entries(query = '', caller = acme): Promise<AuditEntry[]> {
  await chainer.runOnce()
  const reply = await caller.get(`/v1/audit?limit=200${query}`)
  expect(reply.status, reply.text).toBe(200)
  return auditListSchema.strict().parse(reply.json()).entries
}

/** What the work leaves, oldest first. */
async function left(work: () => Promise<unknown>): Promise<AuditEntry[]> {
  const before = (await entries())[0]?.seq ?? 0
  await work()
  return (await entries()).filter(({ seq }) => seq > before).reverse()
}

interface Act {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly target: string | null
  readonly details?: object
  /** The status of the same request again, if it does not act again. */
  readonly again?: number
}

const newKey = async () => (await acme.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>().key
const newSchedule = async () =>
  (await acme.post('/v1/schedules', { cron: '0 9 * * *', run: emptyRun })).json<ScheduleResult>().schedule
const newHook = async () =>
  (await acme.post('/v1/webhooks', { name: randomUUID(), url: 'https://hooks.example/' })).json<CreatedWebhook>()
    .webhook

async function runIn(to?: 'toAwaiting' | 'toFailed' | 'toStalled' | 'toSucceeded'): Promise<string> {
  const { id } = await acme.newRun({ subject_id: 'user-42' })
  if (to) await driver[to](id)
  return id
}

/** How each act is done. What precedes it is done before the entries are counted. */
const acts: Partial<Record<AuditAction, () => Promise<Act>>> = {
  'run.fork': async () => {
    const { id } = await acme.newRun({ subject_id: 'user-42', plan: { steps: [{ id: 'gate', await_input: {} }] } })
    await driver.toAwaiting(id, { key: gateKey('0/gate') })
    await acme.post(`/v1/runs/${id}/signal`, { action: 'approve', idempotency_key: 'gate' })
    return {
      path: `/v1/runs/${id}/fork`,
      body: { from_step: 'gate' },
      headers: { 'idempotency-key': randomUUID() },
      target: expect.stringMatching(/^run_/),
      again: 200,
    }
  },
  'run.signal': async () => {
    const id = await runIn('toAwaiting')
    const body = { action: 'approve', payload: { note: 'fine' }, idempotency_key: 'once' }
    return { path: `/v1/runs/${id}/signal`, body, target: id, details: { action: 'approve' }, again: 200 }
  },
  'run.cancel': async () => command('cancel', await runIn()),
  'run.retry': async () => command('retry', await runIn('toFailed')),
  'run.resume': async () => command('resume', await runIn('toStalled')),
  'run.delete': async () => {
    const id = await runIn('toSucceeded')
    return { method: 'DELETE', path: `/v1/runs/${id}`, target: id, again: 404 }
  },
  'run.link': async () => {
    const id = await runIn('toAwaiting')
    await acme.post('/v1/keys', { scopes: ['runs:signal'], person: 'ada' })
    const { awaiting_input } = (await acme.get(`/v1/runs/${id}?include=awaiting_input`)).json<RunDetail>()
    const body = { await_seq: awaiting_input?.seq, person: 'ada', expires_in: 60 }
    const details = { person: 'ada', await_seq: body.await_seq, expires_at: expect.any(String) }
    return { path: `/v1/runs/${id}/decision-links`, body, target: id, details }
  },
  'memory.delete': async () => {
    const id = await remember(service.database)
    return { method: 'DELETE', path: `/v1/memory/items/${id}`, target: id, again: 404 }
  },
  'key.create': async () => ({
    path: '/v1/keys',
    body: { name: 'Kim', scopes: ['runs:read'], expires_at: '2099-01-01T00:00:00+01:00' },
    target: expect.stringMatching(/^key_/),
    details: { scopes: ['runs:read'], expires_at: '2098-12-31T23:00:00.000Z' },
  }),
  'key.rotate': async () => {
    const { id } = await newKey()
    return { path: `/v1/keys/${id}/rotate`, body: { overlap_seconds: 0 }, target: id, details: { overlap_seconds: 0 } }
  },
  'key.revoke': async () => {
    const { id } = await newKey()
    return { method: 'DELETE', path: `/v1/keys/${id}`, target: id, again: 200 }
  },
  'budget.set': async () => {
    await service.database.run({ text: 'delete from budgets' })
    const path = '/v1/budgets/subjects/user-42'
    const body = { period: 'day', tokens: 5 }
    return { method: 'PUT', path, body, target: null, details: { level: 'subject', ...body }, again: 200 }
  },
  'budget.delete': async () => {
    const path = '/v1/budgets/workspaces/finance'
    await acme.send({ method: 'PUT', path, body: { period: 'day', tokens: 5 }, headers: jsonType })
    const details = { level: 'workspace', workspace_id: 'finance' }
    return { method: 'DELETE', path, target: null, details, again: 404 }
  },
  'schedule.create': async () => ({
    path: '/v1/schedules',
    body: { cron: '0 9 * * *', run: { ...emptyRun, subject_id: 'user-42' } },
    target: expect.stringMatching(/^sched_/),
  }),
  'schedule.update': async () => {
    const { id } = await newSchedule()
    const body = { time_zone: 'Europe/Berlin', paused: true }
    const details = { changed: ['time_zone', 'paused'] }
    return { method: 'PATCH', path: `/v1/schedules/${id}`, body, target: id, details, again: 200 }
  },
  'schedule.delete': async () => {
    const { id } = await newSchedule()
    return { method: 'DELETE', path: `/v1/schedules/${id}`, target: id, again: 404 }
  },
  'webhook.create': async () => ({
    path: '/v1/webhooks',
    body: { name: randomUUID(), url: 'https://hooks.example/', event_types: ['run.created'] },
    target: expect.stringMatching(/^hook_/),
    again: 200,
    details: { event_types: ['run.created'], format: 'standard' },
  }),
  'webhook.update': async () => {
    const { id } = await newHook()
    const body = { paused: true }
    return { method: 'PATCH', path: `/v1/webhooks/${id}`, body, target: id, details: { changed: ['paused'] } }
  },
  'webhook.rotate': async () => {
    const { id } = await newHook()
    return { path: `/v1/webhooks/${id}/rotate`, body: {}, target: id, details: { overlap_seconds: 86_400 } }
  },
  'webhook.delete': async () => {
    const { id } = await newHook()
    return { method: 'DELETE', path: `/v1/webhooks/${id}`, target: id, again: 404 }
  },
}

const command = (name: string, id: string): Act => ({ path: `/v1/runs/${id}/${name}`, target: id, again: 409 })

const send = ({ method = 'POST', path, body, headers }: Act) =>
  acme.send({ method, path, body, headers: { ...(body !== undefined && jsonType), ...headers } })

const refuseEntries = (isRefused: boolean) =>
  service.database.run({
    text: isRefused
      ? `create function no_entry() returns trigger language plpgsql as $$ begin raise 'no entry'; end $$;
      create trigger no_entry before insert on audit_queue execute function no_entry()`
      : 'drop function no_entry cascade',
  })

/** Those of people who sign in are in `store/keys/people.test.ts`: no request with a key makes them. */
test('every action but those of the operator and of people who sign in is in the table', () => {
  const others = auditActions.filter((action) => !/^(?:customer|subject|person)\./.test(action))
  expect(Object.keys(acts)).toEqual(others)
})

describe.each(Object.keys(acts) as AuditAction[])('%s', (action) => {
  test('leaves one entry, with the key and without texts of the client', async () => {
    const act = await (acts[action] as () => Promise<Act>)()
    const found = await left(async () => expect((await send(act)).status).toBeLessThan(300))
    expect(found).toMatchObject([
      { action, key_id: 'key_acme', key_name: 'bootstrap', via: 'api', target: act.target, details: act.details ?? {} },
    ])
    expect(Object.keys(found[0]?.details ?? {})).toEqual(Object.keys(act.details ?? {}))
    expect(JSON.stringify(found)).not.toMatch(/user-42|fine|once/)
    if (act.again === undefined) return
    expect(await left(async () => expect((await send(act)).status).toBe(act.again))).toEqual([])
  })

  test('does not happen if its entry cannot be written', async () => {
    const act = await (acts[action] as () => Promise<Act>)()
    await refuseEntries(true)
    const refused = await send(act)
    await refuseEntries(false)
    expect([refused.status, refused.json().reason_code]).toEqual([500, expect.stringMatching(/ERROR|UNAVAILABLE/)])
    const happened = await left(async () => expect((await send(act)).status).toBeLessThan(300))
    expect(happened).toMatchObject([{ action }])
  })
})

test('a refused request leaves none', async () => {
  const id = await runIn()
  const { key } = (await acme.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  const requests: Omit<Act, 'target'>[] = [
    { path: '/v1/runs', body: { input: 1 }, headers: { 'idempotency-key': 'k' } },
    { path: `/v1/runs/${id}/signal`, body: { action: 'approve' } },
    { path: `/v1/runs/${id}/retry` },
    { method: 'DELETE', path: `/v1/runs/${id}` },
    { path: '/v1/keys', body: { expires_at: '2000-01-01T00:00:00Z' } },
    { path: `/v1/keys/${key.id}x/rotate` },
    { method: 'PUT', path: '/v1/budgets/customer', body: {} },
    { path: '/v1/webhooks', body: { url: 'http://10.0.0.1/' } },
  ]
  const found = await left(async () => {
    for (const request of requests) expect((await send({ ...request, target: null })).status).toBeGreaterThan(399)
  })
  expect(found).toEqual([])
})

test('the console is named', async () => {
  const browser = await signIn(service.url, service.key)
  const id = await runIn()
  const found = await left(() => browser.send('POST', `/v1/runs/${id}/cancel`))
  expect(found).toMatchObject([{ action: 'run.cancel', key_id: 'key_acme', via: 'console', target: id }])
})

const creatorOf = async (runId: string) => {
  const run = (await acme.get(`/v1/runs/${runId}?include=created_by`)).json<Required<RunDetail>>()
  return run.created_by
}

test('a create leaves no entry, and the run says who created it', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const browser = await signIn(service.url, service.key)
  const ids: string[] = []
  const found = await left(async () => {
    ids.push(await runIn())
    ids.push((await browser.send('POST', '/v1/runs', { body: emptyRun, headers })).json<CreatedRun>().id)
  })
  expect(found).toEqual([])
  expect(await Promise.all(ids.map(creatorOf))).toEqual([
    { key_id: 'key_acme', key_name: 'bootstrap', via: 'api' },
    { key_id: 'key_acme', key_name: 'bootstrap', via: 'console' },
  ])
})

test('a fork says who forked it, not who created the run that it was forked from', async () => {
  const act = await (acts['run.fork'] as () => Promise<Act>)()
  const { key, secret } = (await acme.post('/v1/keys')).json<KeyWithSecret>()
  const another = new Caller(service.url, `${key.id}:${secret}`)
  const reply = await another.post(act.path, act.body, { 'idempotency-key': randomUUID() })
  expect(await creatorOf(reply.json<CreatedRun>().id)).toEqual({ key_id: key.id, key_name: key.name, via: 'api' })
})

test('another customer sees only its own entries', async () => {
  const { id } = await other.newRun()
  await other.post(`/v1/runs/${id}/cancel`)
  const found = await entries('', other)
  expect(found.map(({ action, target }) => [action, target])).toEqual([
    ['run.cancel', id],
    ['key.create', 'key_other'],
  ])
  expect(await entries(`&target=${id}`)).toEqual([])
})

test('it can be filtered by action, key and target', async () => {
  const id = await runIn()
  await acme.post(`/v1/runs/${id}/cancel`)
  await send({ method: 'DELETE', path: `/v1/runs/${id}`, target: id })
  expect((await entries(`&target=${id}`)).map(({ action }) => action)).toEqual(['run.delete', 'run.cancel'])
  expect((await entries(`&target=${id}&action=run.cancel`)).map(({ action }) => action)).toEqual(['run.cancel'])
  expect(await entries('&key_id=key_other')).toEqual([])
  expect((await entries('&key_id=key_acme&action=key.create')).every(({ via }) => via === 'api')).toBe(true)
})

test.each(['limit=0', 'limit=201', 'cursor=x', 'cursor=0', 'cursor=', 'action=run', 'key_id=', 'seq=1'])(
  '?%s is refused',
  async (query) => expectRefusal(await acme.get(`/v1/audit?${query}`), 400, 'AUDIT_QUERY_PARAMS_INVALID'),
)

test('a key gets the scope only if it is named, and is refused without it', async () => {
  const { key, secret } = (await acme.post('/v1/keys')).json<KeyWithSecret>()
  expect(key.scopes).not.toContain('audit:read')
  expectRefusal(await new Caller(service.url, `${key.id}:${secret}`).get('/v1/audit'), 403, 'SCOPE_DENIED')
})

/** As docs/audit.md describes it. */
function hashOf({ hash: _, ...entry }: AuditEntry): string {
  const sorted = (value: unknown): unknown =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .sort()
            .map(([name, member]) => [name, sorted(member)]),
        )
  return createHash('sha256')
    .update(JSON.stringify(sorted(entry)))
    .digest('hex')
}

test('the pages are a whole chain that anybody can verify', async () => {
  await acme.post('/v1/keys', { name: 'Zoë "😀" \\ ', scopes: ['runs:read'] })
  await chainer.runOnce()
  const all: AuditEntry[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply = await acme.get(`/v1/audit?limit=7${cursor && `&cursor=${cursor}`}`)
    const page: AuditList = reply.json<AuditList>()
    all.unshift(...page.entries.toReversed())
    cursor = page.next_cursor
  }
  expect(all.length).toBeGreaterThan(20)
  for (const [n, entry] of all.entries()) {
    expect(entry).toMatchObject({ seq: n + 1, previous_hash: all[n - 1]?.hash ?? null, hash: hashOf(entry) })
  }
})
