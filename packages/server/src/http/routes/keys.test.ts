import type { IncomingMessage } from 'node:http'
import { keyListSchema, keyResultSchema, keyWithSecretSchema } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addKey, bearer, countKeys, keyPepper, setExpiry, type TestKey } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Authenticator } from '../../access/authenticator.ts'
import type { Principal } from '../../domain/principal.ts'
import { hashWith } from '../../runtime/secrets/keyed-hash.ts'
import type { Answer } from '../server/response/handler.ts'
import { keyHandlers } from './keys.ts'

let fresh: FreshDatabase
let authenticator: Authenticator
let handlers: ReturnType<typeof keyHandlers>
let caller: TestKey
let principal: Principal

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  const { database } = fresh
  authenticator = new Authenticator({ database, keyPepper, pauseMs: 0 })
  handlers = keyHandlers({ database, keyPepper, authenticator, hashBody: hashWith(keyPepper) })
  caller = await addKey(database)
  principal = await authenticator.authenticate(caller.authorization)
})

type Verb = Exclude<keyof ReturnType<typeof keyHandlers>, 'listKeys'>

interface Sent {
  readonly id?: string
  readonly body?: unknown
  readonly text?: string
  readonly principal?: Principal
}

function send(verb: Verb, { id = '', body, text, principal: as = principal }: Sent = {}): Promise<Answer> {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const request = {} as IncomingMessage
  return handlers[verb]({ requestId: 'req_1', principal: as, id, query: undefined, body: sent, request })
}

const create = async (body?: unknown) => keyWithSecretSchema.parse((await send('createKey', { body })).body)

describe('POST /v1/keys', () => {
  test('returns 201 with the key, its secret and the request id, not cacheable', async () => {
    const answer = await send('createKey', { body: { name: 'ci', expires_at: '2099-01-01T00:00:00Z' } })
    expect(answer).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } })
    expect(keyWithSecretSchema.strict().parse(answer.body)).toMatchObject({
      key: {
        name: 'ci',
        scopes: ['runs:read', 'runs:write', 'usage:read', 'memory:read'],
        expires_at: '2099-01-01T00:00:00.000Z',
        revoked_at: null,
        last_used_at: null,
      },
      request_id: 'req_1',
    })
  })

  test.each([[undefined], ['']])('treats a missing body (%j) as an empty object', async (text) => {
    const { key, secret } = keyWithSecretSchema.parse(
      (await send('createKey', text === undefined ? {} : { text })).body,
    )
    expect(key.name).toBeNull()
    expect(await authenticator.authenticate(bearer(key.id, secret))).toMatchObject({
      keyId: key.id,
      customerId: 'acme',
    })
  })

  test.each([
    ['{"name":', 'JSON'],
    ['[]', 'body'],
    ['null', 'body'],
    ['"x"', 'body'],
    ['{"colour":"red"}', 'colour'],
    ['{"name":null}', 'name'],
    ['{"name":""}', 'name'],
    ['{"name":"a\\u0000b"}', 'U+0000'],
    ['{"name":"a","name":"b"}', 'name'],
    ['{"scopes":null}', 'scopes'],
    ['{"scopes":"runs:read"}', 'scopes'],
    ['{"scopes":["runs:delete"]}', 'scopes[0]'],
    ['{"scopes":["runs:read","runs:read"]}', 'scopes'],
    ['{"scopes":[]}', 'scopes must contain at least one'],
    ['{"expires_at":null}', 'expires_at'],
    ['{"expires_at":"tomorrow"}', 'expires_at must be an ISO 8601 date and time with a time zone offset'],
    ['{"expires_at":"2099-01-01T00:00:00"}', 'expires_at must be an ISO 8601'],
    ['{"expires_at":"2099-02-30T00:00:00Z"}', 'expires_at must be an ISO 8601'],
    ['{"expires_at":"2020-01-01T00:00:00Z"}', 'expires_at must be in the future'],
  ])('refuses %s with %s', async (text, message) => {
    const before = await countKeys(fresh.database)
    const refused = send('createKey', { text })
    await expect(refused).rejects.toMatchObject({
      reason: 'KEY_PAYLOAD_INVALID',
      message: expect.stringContaining(message),
    })
    expect(await countKeys(fresh.database)).toBe(before)
  })

  test('checks the schema before the scopes of the caller', async () => {
    const weak: Principal = { ...principal, scopes: new Set(['keys:admin']) }
    const beyond = { scopes: ['runs:write'] }
    await expect(send('createKey', { body: beyond, principal: weak })).rejects.toMatchObject({ reason: 'SCOPE_DENIED' })
    await expect(send('createKey', { body: { ...beyond, colour: 1 }, principal: weak })).rejects.toMatchObject({
      reason: 'KEY_PAYLOAD_INVALID',
    })
  })
})

describe('GET /v1/keys', () => {
  test('lists the keys of the customer, with uses up to this moment and without any secret', async () => {
    const foreign = await addKey(fresh.database, { customerId: 'other' })
    const { key } = await create({ name: 'unused' })
    const { body } = await handlers.listKeys({
      ...{ requestId: 'req_1', principal, id: '', query: {}, body: undefined },
      request: {} as IncomingMessage,
    })
    const { keys } = keyListSchema.strict().parse(body)
    expect(keys[0]).toEqual(key)
    expect(keys.find(({ id }) => id === caller.id)?.last_used_at).toEqual(expect.any(String))
    expect(keys.map(({ id }) => id)).not.toContain(foreign.id)
    const times = ['created_at', 'updated_at', 'expires_at', 'revoked_at', 'last_used_at']
    const fields = ['id', 'name', 'scopes', 'roles', 'person', 'signs_in', ...times]
    const listed = (body as { keys: object[] }).keys
    expect(new Set(listed.flatMap((key) => Object.keys(key)))).toEqual(new Set(fields))
  })
})

describe('POST /v1/keys/{id}/rotate', () => {
  test('returns the same key and a new secret, valid at once together with the old one', async () => {
    const { key, secret: old } = await create()
    await authenticator.authenticate(bearer(key.id, old))
    const answer = await send('rotateKey', { id: key.id })
    const { key: rotated, secret } = keyWithSecretSchema.strict().parse(answer.body)
    expect(answer.headers).toEqual({ 'cache-control': 'no-store' })
    expect(rotated).toEqual({ ...key, updated_at: rotated.updated_at })
    for (const right of [old, secret]) await authenticator.authenticate(bearer(key.id, right))
  })

  test('with no overlap ends the old secret at once in this process', async () => {
    await send('rotateKey', { id: caller.id, body: { overlap_seconds: 0 } })
    await expect(authenticator.authenticate(caller.authorization)).rejects.toMatchObject({ reason: 'API_KEY_INVALID' })
  })

  test.each([
    ['{"overlap_seconds":-1}', 'overlap_seconds'],
    ['{"overlap_seconds":1.5}', 'overlap_seconds'],
    ['{"overlap_seconds":2592001}', 'overlap_seconds'],
    ['{"overlap_seconds":"60"}', 'overlap_seconds'],
    ['{"overlap_seconds":null}', 'overlap_seconds'],
    ['{"name":"x"}', 'name'],
    ['[', 'JSON'],
  ])('refuses %s with %s, before it looks up the key', async (text, message) => {
    await expect(send('rotateKey', { id: 'key_unknown', text })).rejects.toMatchObject({
      reason: 'KEY_PAYLOAD_INVALID',
      message: expect.stringContaining(message),
    })
  })

  test('of a revoked or expired key, or a key of another customer, returns the same as an unknown one', async () => {
    const revoked = await addKey(fresh.database)
    const expired = await addKey(fresh.database)
    const foreign = await addKey(fresh.database, { customerId: 'other' })
    await send('revokeKey', { id: revoked.id })
    await setExpiry(fresh.database, expired.id, -1)
    const ids = ['key_unknown', revoked.id, expired.id, foreign.id]
    const refusals = await Promise.all(ids.map((id) => send('rotateKey', { id }).catch((error) => error)))
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
    expect(refusals[0]).toMatchObject({ reason: 'KEY_NOT_FOUND' })
  })
})

describe('DELETE /v1/keys/{id}', () => {
  test('revokes at once in this process, and returns the same again', async () => {
    const { body } = await send('revokeKey', { id: caller.id })
    const { key } = keyResultSchema.strict().parse(body)
    expect(key).toMatchObject({ id: caller.id, revoked_at: expect.any(String) })
    expect((await send('revokeKey', { id: caller.id })).body).toEqual(body)
    await expect(authenticator.authenticate(caller.authorization)).rejects.toMatchObject({ reason: 'API_KEY_REVOKED' })
  })

  test('of a key of another customer returns the same as an unknown one and revokes nothing', async () => {
    const foreign = await addKey(fresh.database, { customerId: 'other' })
    const [first, second] = await Promise.all(
      ['key_unknown', foreign.id].map((id) => send('revokeKey', { id }).catch((error) => error)),
    )
    expect(second).toEqual(first)
    expect(first).toMatchObject({ reason: 'KEY_NOT_FOUND' })
    expect(await authenticator.authenticate(foreign.authorization)).toMatchObject({ customerId: 'other' })
  })
})
