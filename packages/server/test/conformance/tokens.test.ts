// Tokens: how they are made, when they end, and what a request with one costs.
import { randomBytes } from 'node:crypto'
import type { KeyWithSecret, TokenResult } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suspendCustomer } from '../../src/store/keys/customers.ts'
import { countStatements } from '../support/count-statements.ts'
import { rowCounts } from '../support/drive.ts'
import { Caller, emptyRun, jsonType, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { withToken, writeToken } from '../support/tokens.ts'

const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
const app = 'https://app.example.com'
let service: Service
let acme: Caller

beforeAll(async () => {
  service = await startService({ RUNWRIGHT_CORS_ORIGINS: app }, { secrets })
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const valid = { scopes: ['runs:read'], expires_in: 60 }
const reasonOf = (reply: Reply) => [reply.status, reply.json().reason_code]

async function newKey(fields: Record<string, unknown> = {}): Promise<{ id: string; caller: Caller }> {
  const { key, secret } = (
    await acme.post('/v1/keys', { scopes: ['runs:read', 'tokens:create', 'keys:admin'], ...fields })
  ).json<KeyWithSecret>()
  return { id: key.id, caller: new Caller(service.url, `${key.id}:${secret}`) }
}

describe('POST /v1/tokens', () => {
  test('answers with the token and what it is limited to', async () => {
    const before = Date.now()
    const reply = await acme.post('/v1/tokens', { ...valid, subject_id: 'me', workspace_id: 'w', origin: app })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers['cache-control']).toBe('no-store')
    const body = reply.json<TokenResult>()
    expect(body).toEqual({
      token: expect.stringMatching(/^tok_1\.[\w-]+\.[\w-]{43}$/),
      scopes: ['runs:read'],
      subject_id: 'me',
      workspace_id: 'w',
      run_id: null,
      origin: app,
      expires_at: expect.any(String),
      request_id: expect.any(String),
    })
    expect(Math.abs(Date.parse(body.expires_at) - before - 60_000)).toBeLessThan(10_000)
  })

  test.each([
    ['nothing', ''],
    ['no scopes', { expires_in: 60 }],
    ['empty scopes', { ...valid, scopes: [] }],
    ['a scope twice', { ...valid, scopes: ['runs:read', 'runs:read'] }],
    ['an unknown scope', { ...valid, scopes: ['everything'] }],
    ['a scope of administrators', { ...valid, scopes: ['keys:admin'] }],
    ['webhooks', { ...valid, scopes: ['webhooks:admin'] }],
    ['more tokens', { ...valid, scopes: ['tokens:create'] }],
    ['the audit log of one subject', { ...valid, scopes: ['audit:read'], subject_id: 'me' }],
    ['the audit log of one workspace', { ...valid, scopes: ['audit:read'], workspace_id: 'w' }],
    ['the usage of one run', { ...valid, scopes: ['usage:read'], run_id: `run_0${'1'.repeat(25)}` }],
    ['the memory of one run', { ...valid, scopes: ['memory:read'], run_id: `run_0${'1'.repeat(25)}` }],
    ['no end', { scopes: ['runs:read'] }],
    ['an end at once', { ...valid, expires_in: 0 }],
    ['more than an hour', { ...valid, expires_in: 3_601 }],
    ['half a second', { ...valid, expires_in: 0.5 }],
    ['an empty subject', { ...valid, subject_id: '' }],
    ['a subject that is null', { ...valid, subject_id: null }],
    ['a long subject', { ...valid, subject_id: 'x'.repeat(256) }],
    ['a run that is none', { ...valid, run_id: 'run_nonsense' }],
    ['a session', { ...valid, session_id: 'session_1' }],
    ['an origin with a path', { ...valid, origin: `${app}/` }],
    ['any origin', { ...valid, origin: '*' }],
    ['the origin null', { ...valid, origin: 'null' }],
    ['another scheme', { ...valid, origin: 'file://x' }],
  ])('refuses %s', async (_what, body) => {
    expect(reasonOf(await acme.post('/v1/tokens', body))).toEqual([400, 'TOKEN_PAYLOAD_INVALID'])
  })

  test.each([['runs:raed'], ['keys:admin']])('offers scopes that a token can have, in place of %s', async (scope) => {
    const { message } = (await acme.post('/v1/tokens', { ...valid, scopes: [scope] })).json()
    expect(message).toContain('scopes[0] must be one of "runs:read"')
    expect(message).not.toContain('keys:admin')
  })

  test('names an unknown field', async () => {
    const reply = await acme.post('/v1/tokens', { ...valid, session_id: 'session_1' })
    expect(reply.json().message).toContain('session_id')
  })

  test('grants no scope that the key lacks', async () => {
    const { caller } = await newKey()
    const reply = await caller.post('/v1/tokens', { ...valid, scopes: ['runs:read', 'runs:write'] })
    expect(reasonOf(reply)).toEqual([403, 'SCOPE_DENIED'])
    expect(reply.json().message).toContain('runs:write')
  })

  test('the longest labels fit', async () => {
    const label = '𝕏'.repeat(255)
    const token = await withToken(acme, { subject_id: label, workspace_id: '\u0001'.repeat(255), origin: app })
    expect((await token.get('/v1/runs')).json().runs).toEqual([])
  })

  test('a token without limits sees what its key sees, but cannot make another one', async () => {
    const token = await withToken(acme, { scopes: ['runs:read', 'audit:read'] })
    const { id } = await acme.newRun()
    expect((await token.run(id)).id).toBe(id)
    expect((await token.get('/v1/audit')).status).toBe(200)
    expect(reasonOf(await token.post('/v1/tokens', valid))).toEqual([403, 'SCOPE_DENIED'])
    const refused = await token.create()
    expect(reasonOf(refused)).toEqual([403, 'SCOPE_DENIED'])
    expect(refused.json().message).toBe('The token does not have the scope runs:write.')
  })

  describe('leaves nothing that outlasts it, also without limits:', () => {
    const schedule = { cron: '0 0 1 1 *', run: emptyRun }
    const newSchedule = async () =>
      (await acme.post('/v1/schedules', schedule)).json<{ schedule: { id: string } }>().schedule.id

    test('no new schedule', async () => {
      const token = await withToken(acme, { scopes: ['runs:write'] })
      const before = await rowCounts(service.database)
      const reply = await token.post('/v1/schedules', schedule)
      expect(reasonOf(reply)).toEqual([403, 'TOKEN_LIMITED'])
      expect(reply.json().message).toBe('A token cannot set up what outlasts it. Use an API key.')
      expect(await rowCounts(service.database)).toEqual(before)
    })

    test('no change of a schedule', async () => {
      const token = await withToken(acme, { scopes: ['runs:read', 'runs:write'] })
      const path = `/v1/schedules/${await newSchedule()}`
      const { schedule: before } = (await token.get(path)).json()
      const reply = await token.send({ method: 'PATCH', path, body: { cron: '* * * * *' }, headers: jsonType })
      expect(reasonOf(reply)).toEqual([403, 'TOKEN_LIMITED'])
      expect((await token.get(path)).json().schedule).toEqual(before)
      expect((await token.send({ method: 'DELETE', path })).status).toBe(200)
    })

    test.each([
      ['POST /v1/keys', {}],
      ['POST /v1/keys/key_acme/rotate', {}],
      ['POST /v1/tokens', valid],
      ['POST /v1/runs/any/decision-links', { await_seq: 1, role: 'finance', expires_in: 60 }],
      ['POST /v1/webhooks', { url: 'https://example.com/' }],
      ['PATCH /v1/webhooks/any', { paused: false }],
      ['POST /v1/webhooks/any/rotate', {}],
    ])('%s, even with a scope that no token gets', async (route, body) => {
      const written = await writeToken(
        { database: service.database, keyPepper: secrets.keyPepper, keyId: 'key_acme' },
        { scopes: ['keys:admin', 'webhooks:admin', 'tokens:create', 'links:create'] },
      )
      const [method = '', path = ''] = route.split(' ')
      const before = await rowCounts(service.database)
      const reply = await new Caller(service.url, written).send({ method, path, body, headers: jsonType })
      expect(reasonOf(reply)).toEqual([403, 'TOKEN_LIMITED'])
      expect(await rowCounts(service.database)).toEqual(before)
    })
  })

  test('nothing is stored or logged', async () => {
    const token = await withToken(acme, {})
    await token.get('/v1/runs')
    expect(service.log.all.join('')).not.toContain(token.key?.split('.')[2])
  })
})

describe('a token ends', () => {
  test('at the latest with its key', async () => {
    const end = new Date(Date.now() + 600_000).toISOString()
    const { caller } = await newKey({ expires_at: end })
    const reply = await caller.post('/v1/tokens', { ...valid, expires_in: 3_600 })
    expect(reply.json<TokenResult>().expires_at).toBe(end)
  })

  test('with the secret that made it', async () => {
    const { id, caller } = await newKey()
    const token = await withToken(caller, {})
    const rotated = await caller.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 600 })
    expect((await token.get('/v1/runs')).status).toBe(200)
    const late = await caller.post('/v1/tokens', { ...valid, expires_in: 3_600 })
    expect(Date.parse(late.json<TokenResult>().expires_at)).toBeLessThan(Date.now() + 610_000)
    const current = new Caller(service.url, `${id}:${rotated.json<KeyWithSecret>().secret}`)
    const newer = await withToken(current, {})
    await current.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 0 })
    for (const one of [token, newer]) expect(reasonOf(await one.get('/v1/runs'))).toEqual([401, 'TOKEN_EXPIRED'])
  })

  test('with the key, in the answer and the challenge', async () => {
    const { id, caller } = await newKey()
    const token = await withToken(caller, {})
    await acme.send({ method: 'DELETE', path: `/v1/keys/${id}` })
    const reply = await token.get('/v1/runs')
    expect(reasonOf(reply)).toEqual([401, 'API_KEY_REVOKED'])
    expect(reply.headers['www-authenticate']).toContain('invalid_token')
  })

  test('a revoked key makes no token, even if this process does not know yet', async () => {
    const { id, caller } = await newKey()
    await caller.get('/v1/runs')
    await service.database.run({ text: 'update api_keys set revoked_at = now() where id = $1', values: [id] })
    expect(reasonOf(await caller.post('/v1/tokens', valid))).toEqual([401, 'API_KEY_REVOKED'])
  })

  test('on an open stream', async () => {
    const run = await acme.newRun({ subject_id: 'me' })
    const claims = { limits: { subjectId: 'me' }, expiresAtMs: Date.now() + 3_000 }
    const written = await writeToken(
      { database: service.database, keyPepper: secrets.keyPepper, keyId: 'key_acme' },
      claims,
    )
    const stream = await new Caller(service.url, written).stream(`/v1/runs/${run.id}/events/stream`)
    expect(stream.status).toBe(200)
    await stream.until(({ text }) => text.includes('TOKEN_EXPIRED'), 20_000)
    await stream.closed
  })

  test('while its customer is suspended', async () => {
    // Nothing has used this key yet, so that it is not in the cache.
    const token = await writeToken({ database: service.database, ...secrets, keyId: 'key_other' }, {})
    await suspendCustomer(service.database, 'other')
    expect(reasonOf(await new Caller(service.url, token).get('/v1/runs'))).toEqual([403, 'CUSTOMER_SUSPENDED'])
  })
})

describe('the origin', () => {
  test('of a request must be that of the token, if it has one', async () => {
    const token = await withToken(acme, { origin: app })
    const ask = (origin?: string) => token.get('/v1/runs', origin === undefined ? {} : { origin })
    expect((await ask()).status).toBe(200)
    const allowed = await ask(app)
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([200, app])
    for (const origin of ['https://evil.example.com', 'null', `${app}:444`, app.toUpperCase()])
      expect(reasonOf(await ask(origin))).toEqual([403, 'TOKEN_ORIGIN_DENIED'])
  })

  test('of a listed page may preflight and read what it needs, without credentials', async () => {
    const preflight = await new Caller(service.url, null).send({
      method: 'OPTIONS',
      path: '/v1/runs',
      headers: {
        origin: app,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe(app)
    expect(preflight.headers['access-control-allow-headers']).toMatch(/authorization/i)
    expect(preflight.headers.vary).toContain('origin')
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()
    const refused = await new Caller(service.url, 'tok_1.e30.x').get('/v1/runs', { origin: app })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, app])
    expect(refused.headers['access-control-expose-headers']).toContain('X-Request-Id')
    const other = await acme.get('/v1/runs', { origin: 'https://evil.example.com' })
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
    expect(other.headers.vary).toContain('origin')
  })
})

test('a request with a token needs no statement that one with a key does not need', async () => {
  const { id } = await acme.newRun({ subject_id: 'me' })
  const token = await withToken(acme, { subject_id: 'me' })
  const requests = 30
  /** Per request. The regular jobs of the service send a few statements in the meantime, but not one per request. */
  const statementsOf = async (caller: Caller, path: string) => {
    await caller.get(path)
    const all = await countStatements(async () => {
      for (let n = 0; n < requests; n += 1) await caller.get(path)
    })
    return Math.floor(all / requests)
  }
  for (const path of [`/v1/runs/${id}`, '/v1/runs?subject_id=me'])
    for (const caller of [acme, token]) expect([path, await statementsOf(caller, path)]).toEqual([path, 1])
})
