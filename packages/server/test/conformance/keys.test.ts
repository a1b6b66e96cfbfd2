// The keys API: make, list, rotate and revoke; what a key may hand on; when a secret stops working.
import type { Key, KeyList, KeyWithSecret } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rowCounts } from '../support/drive.ts'
import { Caller, expectRefusal, instantPattern, requestIdPattern, wireIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const allButAdmin = ['runs:read', 'runs:write', 'usage:read', 'memory:read']
const make = async (body: object = {}, caller = acme) => (await caller.post('/v1/keys', body)).json<KeyWithSecret>()
const holder = ({ key, secret }: KeyWithSecret) => new Caller(service.url, `${key.id}:${secret}`)
const rotate = (id: string, body?: object) => acme.post(`/v1/keys/${id}/rotate`, body)
const revoke = (id: string, caller = acme) => caller.send({ method: 'DELETE', path: `/v1/keys/${id}` })
const list = async (caller = acme) => (await caller.get('/v1/keys')).json<KeyList>()

const aKey = (changes: object = {}) => ({
  id: expect.stringMatching(wireIdPattern('key')),
  name: null,
  scopes: expect.any(Array),
  created_at: expect.stringMatching(instantPattern),
  updated_at: expect.stringMatching(instantPattern),
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  roles: [],
  person: null,
  signs_in: false,
  ...changes,
})

describe('a new key', () => {
  test('answers 201 with exactly key, secret and request_id', async () => {
    const reply = await acme.post('/v1/keys', { name: 'report', scopes: ['usage:read'] })
    expect(reply.status).toBe(201)
    expect(reply.json()).toEqual({
      key: aKey({ name: 'report', scopes: ['usage:read'] }),
      secret: expect.any(String),
      request_id: reply.headers['x-request-id'],
    })
  })

  test.each([
    ['no body', undefined],
    ['an empty object', {}],
  ])('made from %s has the scopes of its maker, but not keys:admin', async (_case, body) => {
    const reply = await acme.post('/v1/keys', body)
    expect(reply.status).toBe(201)
    expect([...reply.json<KeyWithSecret>().key.scopes].sort()).toEqual([...allButAdmin].sort())
  })

  test('works at once', async () => {
    expect((await holder(await make()).get('/v1/runs')).status).toBe(200)
  })

  test('has a secret of 32 random bytes, never the same', async () => {
    const secrets = (await Promise.all([make(), make()])).map(({ secret }) => secret)
    expect(new Set(secrets).size).toBe(2)
    for (const secret of secrets) expect(secret).toMatch(/^([0-9a-f]{64}|[A-Za-z0-9_-]{43}=?)$/)
  })

  test('may be an admin when it is asked for', async () => {
    const admin = await make({ scopes: ['keys:admin', 'runs:read'] })
    expect((await list(holder(admin))).keys.map(({ id }) => id)).toContain(admin.key.id)
  })

  test('tells its expiry in UTC', async () => {
    const { key } = await make({ expires_at: '2099-01-01T01:00:00+01:00' })
    expect(key.expires_at).toBe('2099-01-01T00:00:00.000Z')
  })

  test('stops working when it expires', async () => {
    const caller = holder(await make({ expires_at: new Date(Date.now() + 1_500).toISOString() }))
    expect((await caller.get('/v1/usage')).status).toBe(200)
    await expect.poll(async () => (await caller.get('/v1/usage')).status, { timeout: 8_000, interval: 100 }).toBe(401)
    expectRefusal(await caller.get('/v1/usage'), 401, 'API_KEY_EXPIRED')
    const [id] = (caller.key ?? '').split(':')
    expectRefusal(await new Caller(service.url, `${id}:wrong`).get('/v1/usage'), 401, 'API_KEY_INVALID')
  })
})

describe('a bad key body answers 400 and makes nothing', () => {
  const bodies: [string, unknown][] = [
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', []],
    ['text', '"x"'],
    ['an unknown field', { label: 'x' }],
    ['a null name', { name: null }],
    ['a name that is a number', { name: 1 }],
    ['null scopes', { scopes: null }],
    ['scopes as text', { scopes: 'runs:read' }],
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['runs:delete'] }],
    ['an empty scope', { scopes: [''] }],
    ['a scope that is a number', { scopes: [1] }],
    ['a null expiry', { expires_at: null }],
    ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }],
    ['an expiry right now', { expires_at: new Date().toISOString() }],
    ['an expiry without an offset', { expires_at: '2099-01-01T00:00:00' }],
    ['an expiry without a time', { expires_at: '2099-01-01' }],
    ['an impossible expiry', { expires_at: '2099-02-30T00:00:00Z' }],
    ['an expiry that is a number', { expires_at: 4_070_908_800 }],
    ['an id of its own', { id: 'key_mine' }],
  ]
  test.each(bodies)('%s', async (_case, body) => {
    const before = await rowCounts(service.database)
    expectRefusal(await acme.post('/v1/keys', body), 400, 'KEY_PAYLOAD_INVALID')
    expect(await rowCounts(service.database)).toEqual(before)
  })

  test.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', []],
    ['an unknown field', { overlap: 1 }],
    ['a null overlap', { overlap_seconds: null }],
    ['a negative overlap', { overlap_seconds: -1 }],
    ['half a second', { overlap_seconds: 0.5 }],
    ['an overlap in words', { overlap_seconds: '60' }],
  ] as [string, unknown][])('for a rotation: %s', async (_case, body) => {
    const made = await make()
    expectRefusal(await acme.post(`/v1/keys/${made.key.id}/rotate`, body), 400, 'KEY_PAYLOAD_INVALID')
    expect((await holder(made).get('/v1/usage')).status).toBe(200)
    expectRefusal(await acme.post('/v1/keys/nonsense/rotate', body), 400, 'KEY_PAYLOAD_INVALID')
  })

  test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', ';', ''])(
    'no JSON as %s',
    async (type) => {
      const reply = await acme.post('/v1/keys', '<key/>', { 'content-type': type })
      expectRefusal(reply, 400, 'KEY_PAYLOAD_INVALID')
    },
  )

  test('when an admin that has no other scope leaves the scopes out', async () => {
    const admin = holder(await make({ scopes: ['keys:admin'] }))
    expectRefusal(await admin.post('/v1/keys', {}), 400, 'KEY_PAYLOAD_INVALID')
  })

  test.each(['nonsense=1', 'limit=0', 'limit=201', 'cursor=abc', '=', 'status='])(
    'for the list: ?%s',
    async (query) => {
      expectRefusal(await acme.get(`/v1/keys?${query}`), 400, 'KEY_PAYLOAD_INVALID')
    },
  )

  test('and the message names the field', async () => {
    expect((await acme.post('/v1/keys', { nonsense_field: 1 })).json().message).toContain('nonsense_field')
  })
})

test.each([['runs:write'], ['memory:read'], ['usage:read']])(
  'a key cannot hand on %s, which it lacks',
  async (scope) => {
    const admin = holder(await make({ scopes: ['keys:admin', 'runs:read'] }))
    const before = await rowCounts(service.database)
    expectRefusal(await admin.post('/v1/keys', { scopes: ['runs:read', scope] }), 403, 'SCOPE_DENIED')
    expect(await rowCounts(service.database)).toEqual(before)
    expect((await make({}, admin)).key.scopes).toEqual(['runs:read'])
  },
)

describe('the list of keys', () => {
  test('has pages, newest first', async () => {
    const { key: admin, secret } = await make({ scopes: ['keys:admin', 'runs:read'] })
    const made = [await make(), await make({ name: 'b' }), await make({ name: 'c' })].map(({ key }) => key.id)
    await revoke(made[1] ?? '')
    const caller = new Caller(service.url, `${admin.id}:${secret}`)
    const paged: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { keys, next_cursor } = (await caller.get(`/v1/keys${query}`)).json<KeyList>()
      paged.push(...keys.map(({ id }) => id))
      if (next_cursor === null) break
      query = `?limit=2&cursor=${next_cursor}`
    }
    expect(paged.slice(0, 4)).toEqual([...made].reverse().concat(admin.id))
    expect(paged).toEqual((await caller.get('/v1/keys?limit=200')).json<KeyList>().keys.map(({ id }) => id))
    expect(new Set(paged).size).toBe(paged.length)
  })

  test('has exactly its fields and no secret', async () => {
    const made = await make({ name: 'listed' })
    const reply = await acme.get('/v1/keys')
    const { keys, ...rest } = reply.json<KeyList>()
    expect(rest).toEqual({ next_cursor: null, request_id: expect.stringMatching(requestIdPattern) })
    const seen = expect.toBeOneOf([null, expect.stringMatching(instantPattern)])
    const any = { id: expect.any(String), name: expect.toBeOneOf([null, expect.any(String)]) }
    for (const key of keys)
      expect(key).toEqual(aKey({ ...any, expires_at: seen, revoked_at: seen, last_used_at: seen }))
    expect(keys).toContainEqual(made.key)
    expect(reply.text).not.toContain(made.secret)
  })

  test('holds only the customer’s own', async () => {
    const { key } = await make()
    const theirs = (await list(new Caller(service.url, service.otherKey))).keys.map(({ id }) => id)
    expect(theirs).toEqual(['key_other'])
    expect((await list()).keys.map(({ id }) => id)).toContain(key.id)
  })

  test('tells when a key was last used', async () => {
    const made = await make()
    const startedAt = Date.now()
    await holder(made).get('/v1/usage')
    const lastUsed = async () => (await list()).keys.find(({ id }) => id === made.key.id)?.last_used_at
    await expect.poll(lastUsed, { timeout: 8_000 }).toMatch(instantPattern)
    expect(Math.abs(Date.parse((await lastUsed()) ?? '') - startedAt)).toBeLessThan(10_000)
  })
})

describe('a rotation', () => {
  test.each([[undefined], [{}], [{ overlap_seconds: 60 }]])(
    'with %o answers 200: same id, new secret, both valid',
    async (body) => {
      const made = await make({ name: 'turning' })
      const reply = await rotate(made.key.id, body)
      expect(reply.status).toBe(200)
      const turned = reply.json<KeyWithSecret>()
      expect(turned).toEqual({
        key: aKey({ ...made.key, last_used_at: turned.key.last_used_at, updated_at: turned.key.updated_at }),
        secret: expect.any(String),
        request_id: reply.headers['x-request-id'],
      })
      expect(turned.key.updated_at > made.key.updated_at).toBe(true)
      expect(turned.secret).not.toBe(made.secret)
      for (const each of [made, turned]) expect((await holder(each).get('/v1/usage')).status).toBe(200)
    },
  )

  test('without overlap ends the old secret', async () => {
    const made = await make()
    expect((await holder(made).get('/v1/usage')).status).toBe(200)
    const turned = (await rotate(made.key.id, { overlap_seconds: 0 })).json<KeyWithSecret>()
    await expect
      .poll(async () => (await holder(made).get('/v1/usage')).status, { timeout: 5_000, interval: 50 })
      .toBe(401)
    expectRefusal(await holder(made).get('/v1/usage'), 401, 'API_KEY_INVALID')
    expect((await holder(turned).get('/v1/usage')).status).toBe(200)
  })

  test('with a short overlap ends the old secret after it', async () => {
    const made = await make()
    await rotate(made.key.id, { overlap_seconds: 1 })
    expect((await holder(made).get('/v1/usage')).status).toBe(200)
    await expect
      .poll(async () => (await holder(made).get('/v1/usage')).status, { timeout: 8_000, interval: 100 })
      .toBe(401)
    expectRefusal(await holder(made).get('/v1/usage'), 401, 'API_KEY_INVALID')
  })

  test.each(['nonsense', 'key_00000000000000000000000000', 'key_other', '%00'])('of %s answers 404', async (id) => {
    expectRefusal(await rotate(id), 404, 'KEY_NOT_FOUND')
  })

  test('of a revoked key answers 404', async () => {
    const { key } = await make()
    await revoke(key.id)
    expectRefusal(await rotate(key.id), 404, 'KEY_NOT_FOUND')
  })
})

describe('a revocation', () => {
  test('answers 200 with exactly key and request_id, and again the same', async () => {
    const { key } = await make()
    const first = await revoke(key.id)
    expect(first.status).toBe(200)
    const revoked_at = expect.stringMatching(instantPattern)
    expect(first.json()).toEqual({
      key: { ...key, revoked_at, updated_at: revoked_at },
      request_id: first.headers['x-request-id'],
    })
    const second = await revoke(key.id)
    expect(second.status).toBe(200)
    expect(second.json<{ key: Key }>().key).toEqual(first.json<{ key: Key }>().key)
  })

  test('is in force within 5 s, and only the right secret is told of it', async () => {
    const made = await make()
    expect((await holder(made).get('/v1/usage')).status).toBe(200)
    await revoke(made.key.id)
    await expect
      .poll(async () => (await holder(made).get('/v1/usage')).status, { timeout: 5_000, interval: 50 })
      .toBe(401)
    expectRefusal(await holder(made).get('/v1/usage'), 401, 'API_KEY_REVOKED')
    const guess = new Caller(service.url, `${made.key.id}:guess`)
    expectRefusal(await guess.get('/v1/usage'), 401, 'API_KEY_INVALID')
  })

  test('can be of the key itself', async () => {
    const made = await make({ scopes: ['keys:admin'] })
    expect((await revoke(made.key.id, holder(made))).status).toBe(200)
    await expect.poll(async () => (await holder(made).get('/v1/keys')).status, { timeout: 5_000 }).toBe(401)
  })

  test.each(['nonsense', 'key_00000000000000000000000000', 'key_other', '%00'])('of %s answers 404', async (id) => {
    expectRefusal(await revoke(id), 404, 'KEY_NOT_FOUND')
    expect((await new Caller(service.url, service.otherKey).get('/v1/usage')).status).toBe(200)
  })

  test('shows in the list', async () => {
    const { key } = await make()
    const revoked = (await revoke(key.id)).json<{ key: Key }>().key
    expect((await list()).keys).toContainEqual(revoked)
  })
})

test('no secret is in the log', async () => {
  const made = await make()
  const turned = (await rotate(made.key.id)).json<KeyWithSecret>()
  await holder(turned).get('/v1/usage')
  for (const { secret } of [made, turned]) expect(service.log.all.join()).not.toContain(secret)
})
