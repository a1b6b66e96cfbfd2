// The roles and the person of API keys: who may grant them, and how they are shown.
import type { Key, KeyList, KeyWithSecret } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, expectRefusal } from '../support/http.ts'
import { addPerson, type Person, setRoles } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Caller
let chief: Person
beforeAll(async () => {
  service = await startService()
  admin = new Caller(service.url, service.key)
  const wish = { person: 'chief', roles: ['finance', 'board'], scopes: ['runs:read', 'runs:signal', 'keys:admin'] }
  chief = await addPerson({ url: service.url, admin, database: service.database }, wish)
})
afterAll(() => service.stop())

const create = (by: Caller, body: object) => by.post('/v1/keys', { scopes: ['runs:read'], ...body })
const created = async (by: Caller, body: object): Promise<Key> => {
  const reply = await create(by, body)
  expect(reply.status, reply.text).toBe(201)
  return reply.json<KeyWithSecret>().key
}

test('a person may have any letters, and blanks between words', async () => {
  for (const person of ['Ada@Example.com', 'Zoë Müller', 'علي', '山田 太郎'])
    expect(await created(admin, { person })).toMatchObject({ person })
})

test('a key without them has none', async () => {
  expect(await created(admin, {})).toMatchObject({ roles: [], person: null })
})

describe('a caller', () => {
  test('grants the roles that it has, and the list shows them', async () => {
    const key = await created(chief.caller, { roles: ['finance'], person: 'ada@example.com' })
    expect(key).toMatchObject({ roles: ['finance'], person: 'ada@example.com' })
    const { keys } = (await admin.get('/v1/keys')).json<KeyList>()
    expect(keys.find(({ id }) => id === key.id)).toEqual(key)
  })

  test('cannot grant others', async () => {
    for (const [by, roles] of [[admin, ['finance']] as const, [chief.caller, ['finance', 'audit']] as const])
      expectRefusal(await create(by, { roles }), 403, 'SCOPE_DENIED')
  })

  test('cannot take over a key with roles that it lacks by rotating it', async () => {
    const key = await created(chief.caller, { roles: ['board'] })
    expectRefusal(await admin.post(`/v1/keys/${key.id}/rotate`, {}), 403, 'SCOPE_DENIED')
    await setRoles(service.database, key.id, [])
    expect((await admin.post(`/v1/keys/${key.id}/rotate`, {})).status).toBe(200)
  })

  test('replaces them with a rotation; without, they stay', async () => {
    const key = await created(chief.caller, { roles: ['board'], person: 'ada' })
    const rotate = async (body: object) =>
      (await chief.caller.post(`/v1/keys/${key.id}/rotate`, body)).json<KeyWithSecret>().key
    expect(await rotate({})).toMatchObject({ roles: ['board'], person: 'ada' })
    expect(await rotate({ roles: ['finance'] })).toMatchObject({ roles: ['finance'], person: 'ada' })
    expect(await rotate({ roles: [] })).toMatchObject({ roles: [], person: 'ada' })
  })
})

test.each([
  [{ roles: ['has space'] }, 'roles[0] must be a role: 1 to 64 letters'],
  [{ roles: ['finance', 'finance'] }, 'contains a role twice'],
  [{ roles: Array.from({ length: 51 }, (_, n) => `r${n}`) }, 'at most 50'],
  [{ person: 'ada@example.com ' }, 'person must not begin or end with white space'],
  [{ person: '\u3000ada' }, 'person must not begin or end with white space'],
  [{ person: 'ada\nbyron' }, 'person must not contain control characters'],
  [{ person: 'a\u202eb' }, 'person must not contain control characters'],
  [{ person: 'a\u200bb' }, 'person must not contain control characters'],
  [{ person: 'a\u200db' }, 'person must not contain control characters'],
  [{ person: 'a\u3164b' }, 'person must not contain control characters'],
  [{ person: 'a\u00a0b' }, 'person must not contain control characters'],
  [{ person: 'Zoe\u0308' }, 'person must be in the Unicode form NFC'],
  [{ person: '' }, 'person must be 1 to 255 characters'],
  [{ person: 'x'.repeat(256) }, 'person must be 1 to 255 characters'],
])('%j is refused', async (body, words) => {
  const reply = await create(chief.caller, body)
  expectRefusal(reply, 400, 'KEY_PAYLOAD_INVALID')
  expect(reply.json<{ message: string }>().message).toContain(words)
})
