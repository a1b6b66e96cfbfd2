// Every route of the published schema, called with tokens that are limited to a subject, a workspace or a run. A route
// that is not in the table fails the test. What lists show, also with cursors, is in `token-lists.test.ts`.
import { randomBytes, randomUUID } from 'node:crypto'
import { type KeyWithSecret, type Scope, tokenScopes, wholeCustomerScopes } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActorLimits } from '../../src/domain/actor.ts'
import { newWireId } from '../../src/runtime/ids.ts'
import { Driver, remember, rowCounts } from '../support/drive.ts'
import { Caller, emptyRun, jsonType, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { forge, withToken, writeToken } from '../support/tokens.ts'

/**
 * What a token of a subject may do: `run` and `item` with its own only; `list` shows its own only; `own budget` only
 * that of the subject; `open` for all; `create` gets its label; `refused`.
 */
const rules: Readonly<
  Record<string, 'run' | 'item' | 'list' | 'stream' | 'own budget' | 'open' | 'create' | 'refused'>
> = {
  'POST /v1/runs': 'create',
  'GET /v1/runs': 'list',
  'GET /v1/runs/counts': 'list',
  'GET /v1/runs/stream': 'stream',
  'GET /v1/runs/{id}': 'run',
  'DELETE /v1/runs/{id}': 'run',
  'POST /v1/runs/{id}/cancel': 'run',
  'POST /v1/runs/{id}/retry': 'run',
  'POST /v1/runs/{id}/resume': 'run',
  'POST /v1/runs/{id}/fork': 'run',
  'POST /v1/runs/{id}/signal': 'run',
  'GET /v1/runs/{id}/events': 'run',
  'GET /v1/runs/{id}/events/stream': 'run',
  'GET /v1/runs/{id}/turns': 'refused',
  'GET /v1/events/stream': 'refused',
  'GET /v1/agents': 'open',
  'GET /v1/tools': 'open',
  'GET /v1/usage': 'list',
  'GET /v1/usage/events': 'list',
  'GET /v1/budgets': 'refused',
  'GET /v1/budgets/customer': 'refused',
  'PUT /v1/budgets/customer': 'refused',
  'DELETE /v1/budgets/customer': 'refused',
  'GET /v1/budgets/workspaces/{id}': 'refused',
  'PUT /v1/budgets/workspaces/{id}': 'refused',
  'DELETE /v1/budgets/workspaces/{id}': 'refused',
  'GET /v1/budgets/subjects/{id}': 'own budget',
  'PUT /v1/budgets/subjects/{id}': 'refused',
  'DELETE /v1/budgets/subjects/{id}': 'refused',
  'GET /v1/memory/export': 'list',
  'GET /v1/memory/items': 'list',
  'GET /v1/memory/items/{id}': 'item',
  'DELETE /v1/memory/items/{id}': 'item',
  'POST /v1/keys': 'refused',
  'GET /v1/keys': 'refused',
  'GET /v1/keys/{id}': 'refused',
  'POST /v1/keys/{id}/rotate': 'refused',
  'DELETE /v1/keys/{id}': 'refused',
  'POST /v1/tokens': 'refused',
  'POST /v1/runs/{id}/decision-links': 'refused',
  'POST /v1/schedules': 'refused',
  'GET /v1/schedules': 'refused',
  'GET /v1/schedules/{id}': 'refused',
  'PATCH /v1/schedules/{id}': 'refused',
  'DELETE /v1/schedules/{id}': 'refused',
  'POST /v1/webhooks': 'refused',
  'GET /v1/webhooks': 'refused',
  'GET /v1/webhooks/{id}': 'refused',
  'PATCH /v1/webhooks/{id}': 'refused',
  'DELETE /v1/webhooks/{id}': 'refused',
  'POST /v1/webhooks/{id}/rotate': 'refused',
  'POST /v1/webhooks/{id}/test': 'refused',
  'GET /v1/webhooks/{id}/deliveries': 'refused',
  'POST /v1/webhooks/{id}/redeliver': 'refused',
  'GET /v1/audit': 'refused',
}
const named = (rule: string) => Object.keys(rules).filter((route) => rules[route] === rule)
const all = Object.keys(rules)

const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
const labels = { workspace_id: 'shared', subject_id: 'me' }
const subjectScopes = tokenScopes.filter((scope) => !wholeCustomerScopes.includes(scope))
const wideScopes: Scope[] = [
  'keys:admin',
  'webhooks:admin',
  'audit:read',
  'tokens:create',
  'links:create',
  ...subjectScopes,
]
let service: Service
let acme: Caller
/** Limited to the subject `me`. */
let mine: Caller
/** The same limit, of another customer. */
let elsewhere: Caller
/** Signed with scopes and a limit that the service never gives together. */
let wide: Caller
const own: Record<string, string> = {}
const foreign: Record<string, string> = {}

beforeAll(async () => {
  service = await startService({ RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }, { secrets })
  acme = new Caller(service.url, service.key)
  mine = await withToken(acme, { scopes: [...subjectScopes], subject_id: 'me' })
  elsewhere = await withToken(new Caller(service.url, service.otherKey), {
    scopes: [...subjectScopes],
    subject_id: 'me',
  })
  wide = new Caller(service.url, await write({ scopes: wideScopes }))
  for (const [ids, subject] of [
    [own, 'me'],
    [foreign, 'you'],
  ] as const) {
    ids.runs = (await acme.newRun({ ...labels, subject_id: subject })).id
    await new Driver(service.database).toFailed(ids.runs)
    ids.memory = await remember(service.database, {
      title: subject,
      content: subject,
      workspace_id: 'shared',
      subject_id: subject,
    })
    ids.subjects = subject
    const body = { period: 'day', tokens: 1_000 }
    await acme.send({ method: 'PUT', path: `/v1/budgets/subjects/${subject}`, body, headers: jsonType })
  }
})
afterAll(() => service.stop())

const write = (claims: Parameters<typeof writeToken>[1]) =>
  writeToken(
    { database: service.database, keyPepper: secrets.keyPepper, keyId: 'key_acme' },
    { limits: { subjectId: 'me' }, ...claims },
  )

const bodies: Readonly<Record<string, unknown>> = {
  'POST /v1/runs': emptyRun,
  'POST /v1/runs/{id}/signal': { action: 'approve', idempotency_key: 'k' },
  'POST /v1/runs/{id}/fork': { from_step: 'a' },
  'POST /v1/tokens': { scopes: ['runs:read'], expires_in: 60 },
}
const kindOf = (route: string) => /([a-z]+)(?:\/items)?\/\{id\}/.exec(route)?.[1] ?? ''
const unknownId = (route: string) =>
  ({ runs: newWireId('run'), memory: newWireId('mem') })[kindOf(route)] ?? 'no-such-thing'

function ask(caller: Caller, route: string, id = unknownId(route)): Promise<Reply> {
  const [method = '', path = ''] = route.split(' ')
  const body = bodies[route]
  const headers = { ...(body === undefined ? {} : jsonType), 'idempotency-key': `${route} ${id}`.slice(0, 200) }
  return caller.send({ method, path: path.replace('{id}', id), body, headers })
}

/** Everything of an answer but the time, the request id and the id that was asked for. */
const faceOf = ({ status, headers, text }: Reply, id: string) => {
  const { date, 'x-request-id': requestId, ...rest } = headers
  return { status, headers: rest, text: text.replaceAll(id, '{id}').replaceAll(String(requestId), '') }
}
const reasonOf = (reply: Reply) => [reply.status, reply.json().reason_code]

test('every protected route of the published schema is in the table', async () => {
  interface Operation {
    readonly 'x-scope'?: Scope
  }
  const { paths } = (await acme.get('/openapi.json')).json<{ paths: Record<string, Record<string, Operation>> }>()
  const published = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation['x-scope'] === undefined ? [] : [`${method.toUpperCase()} ${path}`],
    ),
  )
  expect(published.sort()).toEqual([...all].sort())
})

describe('a token that is not valid is refused on every route:', () => {
  test.each(all)('%s', async (route) => {
    const good = mine.key ?? ''
    const bad = {
      tampered: forge(good, { u: 'you' }),
      'wider scope': forge(good, { s: ['keys:admin'] }),
      'no limit': forge(good, { u: undefined }),
      'later end': forge(good, { e: Date.now() + 1e9 }),
      'another key': forge(good, { k: 'key_other' }),
      'another signature': `${good.slice(0, -1)}${good.endsWith('A') ? 'E' : 'A'}`,
      'no signature': good.slice(0, good.lastIndexOf('.') + 1),
      'another form': good.replace('tok_1.', 'tok_2.'),
      'half of it': good.slice(0, good.length / 2),
      'another pepper': await writeToken(
        { database: service.database, keyPepper: randomBytes(32), keyId: 'key_acme' },
        { limits: { subjectId: 'me' } },
      ),
    }
    for (const [how, token] of Object.entries(bad))
      expect([how, ...reasonOf(await ask(new Caller(service.url, token), route))]).toEqual([how, 401, 'TOKEN_INVALID'])
    const expired = new Caller(service.url, await write({ expiresAtMs: Date.now() - 60_000 }))
    expect(reasonOf(await ask(expired, route))).toEqual([401, 'TOKEN_EXPIRED'])
  })
})

test('a token of a revoked key is refused on every route', async () => {
  const { key, secret } = (
    await acme.post('/v1/keys', { scopes: ['tokens:create', 'runs:read'] })
  ).json<KeyWithSecret>()
  const token = await withToken(new Caller(service.url, `${key.id}:${secret}`), { subject_id: 'me' })
  expect((await token.get('/v1/runs')).status).toBe(200)
  await acme.send({ method: 'DELETE', path: `/v1/keys/${key.id}` })
  for (const route of all)
    expect([route, ...reasonOf(await ask(token, route))]).toEqual([route, 401, 'API_KEY_REVOKED'])
})

test('a token without the scope is refused on every route', async () => {
  const none = new Caller(service.url, await write({ scopes: [] }))
  for (const route of all) expect([route, ...reasonOf(await ask(none, route))]).toEqual([route, 403, 'SCOPE_DENIED'])
})

test.each(named('refused'))('%s is refused, even with the scope', async (route) => {
  const before = await rowCounts(service.database)
  expect(reasonOf(await ask(wide, route))).toEqual([403, 'TOKEN_LIMITED'])
  expect(await rowCounts(service.database)).toEqual(before)
})

describe.each([...named('run'), ...named('item')])('%s', (route) => {
  test('answers for what another subject has as for what does not exist', async () => {
    const theirs = foreign[kindOf(route)] ?? ''
    const unknown = unknownId(route)
    const before = await rowCounts(service.database)
    const face = faceOf(await ask(mine, route, theirs), theirs)
    expect(face).toEqual(faceOf(await ask(mine, route, unknown), unknown))
    expect(face.status).toBe(404)
    expect(await rowCounts(service.database)).toEqual(before)
  })

  test('answers a token of another customer in the same way', async () => {
    const [known, unknown] = [own[kindOf(route)] ?? '', unknownId(route)]
    const face = faceOf(await ask(elsewhere, route, known), known)
    expect(face).toEqual(faceOf(await ask(elsewhere, route, unknown), unknown))
    expect(face.status).toBe(404)
  })
})

test.each([...named('run'), ...named('item')].filter((route) => !/^DELETE|stream$/.test(route)))(
  '%s works with its own',
  async (route) => {
    const reply = await ask(mine, route, own[kindOf(route)])
    expect([200, 201, 204, 409], reply.text).toContain(reply.status)
  },
)

describe.each(named('list'))('%s', (route) => {
  const path = route.slice('GET '.length)

  test('shows what the key sees with the filter of the subject, and no more', async () => {
    const [bound, filtered, whole] = await Promise.all([
      mine.get(path),
      acme.get(`${path}?subject_id=me`),
      acme.get(path),
    ])
    expect(bound.status, bound.text).toBe(200)
    const withoutTimes = ({ text }: Reply) => text.replace(/"request_id":"[^"]*"/, '').replace(/"end":"[^"]*"/, '')
    expect(withoutTimes(bound)).toBe(withoutTimes(filtered))
    expect(withoutTimes(bound)).not.toBe(withoutTimes(whole))
    expect(bound.text).not.toContain(foreign.runs)
  })

  test('refuses the filter of another subject', async () => {
    expect(reasonOf(await mine.get(`${path}?subject_id=you`))).toEqual([403, 'TOKEN_LIMITED'])
    expect((await mine.get(`${path}?subject_id=me`)).status).toBe(200)
  })
})

test.each(['another subject', 'another workspace', 'another customer'])(
  'the stream of the list of %s shows only its own',
  async (whose) => {
    const other = await withToken(acme, { scopes: ['runs:read', 'runs:write'], workspace_id: 'streamed' })
    const caller = { 'another subject': mine, 'another workspace': other }[whose] ?? elsewhere
    const stream = await caller.stream('/v1/runs/stream')
    const { id: theirs } = await acme.newRun({ subject_id: 'you', workspace_id: 'shared' })
    const { id } = await caller.newRun()
    await stream.until(({ text }) => text.includes(id))
    stream.close()
    expect([theirs, foreign.runs].filter((mark) => stream.text.includes(mark ?? ''))).toEqual([])
  },
)

test('a create gets the label, and refuses another one', async () => {
  expect(await mine.newRun()).toMatchObject({ subject_id: 'me', workspace_id: null })
  expect(await mine.newRun({ subject_id: 'me' })).toMatchObject({ subject_id: 'me', workspace_id: null })
  const both = await withToken(acme, { scopes: ['runs:write'], subject_id: 'me', workspace_id: 'x' })
  expect(await both.newRun({ workspace_id: 'x' })).toMatchObject({ subject_id: 'me', workspace_id: 'x' })
  const before = await rowCounts(service.database)
  for (const other of [{ subject_id: 'you' }, { workspace_id: 'x' }, { subject_id: 'me', workspace_id: 'x' }])
    expect(reasonOf(await mine.create({ ...emptyRun, ...other }))).toEqual([403, 'TOKEN_LIMITED'])
  expect(await rowCounts(service.database)).toEqual(before)
})

test('a guessed idempotency key neither shows nor blocks the run of another', async () => {
  const headers = { 'idempotency-key': 'order-1' }
  const you = await withToken(acme, { scopes: ['runs:write', 'runs:read'], subject_id: 'you' })
  const ids = new Set<unknown>()
  for (const caller of [acme, you, mine]) {
    const reply = await caller.create(emptyRun, headers)
    expect([reply.status, reply.json().replayed]).toEqual([201, false])
    ids.add(reply.json().id)
  }
  expect(ids.size).toBe(3)
  const renewed = await withToken(acme, { scopes: ['runs:write'], subject_id: 'you', expires_in: 60 })
  const again = await renewed.create(emptyRun, headers)
  expect([again.status, ids.has(again.json().id)]).toEqual([200, true])
  expect((await mine.create({ input: { other: 1 }, metadata: {} }, headers)).status).toBe(409)
})

test('a subject sees its own budget, and no other', async () => {
  expect((await mine.get('/v1/budgets/subjects/me')).json()).toMatchObject({ budget: { subject_id: 'me' } })
  const [theirs, unknown] = [await mine.get('/v1/budgets/subjects/you'), await mine.get('/v1/budgets/subjects/nobody')]
  expect(faceOf(theirs, 'you')).toEqual(faceOf(unknown, 'nobody'))
  expect(theirs.status).toBe(404)
})

test('open routes work', async () => {
  for (const route of named('open')) expect((await ask(mine, route)).status).toBe(200)
})

describe('other limits', () => {
  test('a workspace binds as a subject does', async () => {
    const token = await withToken(acme, { scopes: ['runs:read', 'runs:write'], workspace_id: 'other' })
    const { id } = await token.newRun()
    expect((await token.run(id)).workspace_id).toBe('other')
    expect((await token.get(`/v1/runs/${own.runs}`)).status).toBe(404)
    expect((await token.get('/v1/runs')).json<{ runs: { id: string }[] }>().runs.map((run) => run.id)).toEqual([id])
    expect(reasonOf(await token.get('/v1/budgets/subjects/me'))).toEqual([403, 'SCOPE_DENIED'])
  })

  test('a workspace and a subject bind together', async () => {
    const token = await withToken(acme, {
      scopes: ['runs:read', 'usage:read'],
      workspace_id: 'other',
      subject_id: 'me',
    })
    expect((await token.get(`/v1/runs/${own.runs}`)).status).toBe(404)
    expect((await token.get('/v1/runs')).json().runs).toEqual([])
    expect(reasonOf(await token.get('/v1/budgets/subjects/me'))).toEqual([403, 'TOKEN_LIMITED'])
  })

  test('a token for one run reaches that run only', async () => {
    const scopes: Scope[] = ['runs:read', 'runs:write', 'runs:signal']
    const token = await withToken(acme, { scopes: scopes as never, run_id: own.runs })
    expect((await token.run(own.runs ?? '')).id).toBe(own.runs)
    expect((await token.get(`/v1/runs/${own.runs}/events`)).status).toBe(200)
    for (const id of [foreign.runs, newWireId('run')]) expect((await token.get(`/v1/runs/${id}`)).status).toBe(404)
    for (const path of ['/v1/runs', '/v1/runs/counts', '/v1/runs/stream'])
      expect(reasonOf(await token.get(path))).toEqual([403, 'TOKEN_LIMITED'])
    expect(reasonOf(await token.create())).toEqual([403, 'TOKEN_LIMITED'])
    expect(reasonOf(await ask(token, 'POST /v1/runs/{id}/fork', own.runs))).toEqual([403, 'TOKEN_LIMITED'])
  })
})

describe.each<[string, ActorLimits]>([
  ['workspace', { workspaceId: 'other' }],
  ['run', { runId: randomUUID() }],
])('a token of another %s, whatever its scopes, shows and changes nothing:', (_, limits) => {
  test.each(all.filter((route) => !['open', 'create', 'stream'].includes(rules[route] ?? '')))('%s', async (route) => {
    const caller = new Caller(service.url, await write({ limits, scopes: [...wideScopes] }))
    const before = await rowCounts(service.database)
    const [known = '', unknown] = [own[kindOf(route)], unknownId(route)]
    const reply = await ask(caller, route, known || 'me')
    if (['run', 'item'].includes(rules[route] ?? ''))
      expect(faceOf(reply, known)).toEqual(faceOf(await ask(caller, route, unknown), unknown))
    expect(rules[route] === 'list' ? [200, 403] : [403, 404]).toContain(reply.status)
    if (reply.status === 200) for (const mark of [own.runs, own.memory, '"me"']) expect(reply.text).not.toContain(mark)
    expect(await rowCounts(service.database)).toEqual(before)
  })
})

test('a token of a subject is a stranger to the health probe', async () => {
  expect((await acme.get('/health/deps')).json()).toHaveProperty('version')
  expect((await mine.get('/health/deps')).json()).not.toHaveProperty('version')
})

test('the stream of its own run works', async () => {
  const stream = await mine.stream(`/v1/runs/${own.runs}/events/stream`)
  await stream.until(({ text }) => text.includes('run.created'))
  stream.close()
})

test('DELETE works with its own', async () => {
  own.runs = (await mine.newRun()).id
  await mine.post(`/v1/runs/${own.runs}/cancel`)
  for (const route of all.filter((one) => one.startsWith('DELETE') && ['run', 'item'].includes(rules[one] ?? '')))
    expect((await ask(mine, route, own[kindOf(route)])).status).toBe(200)
})
