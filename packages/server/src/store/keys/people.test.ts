// The rows of people who sign in, beside the keys of their customer.
import { randomBytes } from 'node:crypto'
import { scopes } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCustomer, addKey, keyPepper } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { issueKey, maxLiveKeys } from '../../access/issue-key.ts'
import { rotateKey } from '../../access/rotate-key.ts'
import { newWireId } from '../../runtime/ids.ts'
import { listKeys } from './keys.ts'
import { endSessionsOf, keepPerson, type Person } from './people.ts'
import { insertSession } from './sessions.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await addCustomer(fresh.database, 'acme')
  await addCustomer(fresh.database, 'other')
})
afterAll(() => fresh.drop())

const ada: Omit<Person, 'askedAt'> = {
  customerId: 'acme',
  issuer: 'https://login.example.com',
  subject: 'ada',
  person: 'ada@example.com',
  name: 'Ada',
  scopes: ['runs:read'],
  roles: ['finance'],
}

const keep = (change: Partial<Person> = {}) =>
  keepPerson(
    fresh.database,
    { ...ada, askedAt: new Date(), ...change },
    { keyId: newWireId('key'), secretHash: randomBytes(32) },
  )

const noGroups = () => ({ reason: 'groups' as const, askedAt: new Date() })

const acts = async () =>
  (await fresh.database.run<{ action: string }>({ text: 'select action from audit_queue order by at' })).map(
    ({ action }) => action,
  )

test('a person keeps the row, and only a change is recorded', async () => {
  const first = await keep()
  const before = (await acts()).length
  expect(await keep()).toEqual(first)
  expect((await acts()).length).toBe(before)
  expect(await keep({ roles: [] })).toEqual(first)
  expect((await acts()).at(-1)).toBe('person.update')
  const [key] = await listKeys(fresh.database, 'acme')
  expect(key).toMatchObject({ id: first?.keyId, signsIn: true, person: 'ada@example.com', roles: [] })
})

test('sign-ins of one person at the same time share one row', async () => {
  const rows = await Promise.all(Array.from({ length: 10 }, () => keep({ subject: 'many', person: 'many' })))
  expect(new Set(rows.map((row) => row?.keyId)).size).toBe(1)
})

test('the same person of another customer, or of another provider, has another row', async () => {
  const own = await keep()
  const elsewhere = await keep({ customerId: 'other' })
  const otherIssuer = await keep({ issuer: 'https://evil.example' })
  expect(new Set([own, elsewhere, otherIssuer].map((row) => row?.keyId)).size).toBe(3)
  const ofOther = await listKeys(fresh.database, 'other')
  expect(ofOther.map(({ id }) => id)).toEqual([elsewhere?.keyId])
})

test('a customer that does not exist gets nobody', async () => {
  expect(await keep({ customerId: 'nowhere' })).toBeUndefined()
})

test('a person has no secret: the row cannot be rotated, not even by the operator', async () => {
  const row = await keep()
  const rotation = rotateKey(
    { database: fresh.database, keyPepper },
    { customerId: 'acme', scopes: new Set(scopes) },
    { keyId: row?.keyId ?? '', overlapSeconds: 0 },
  )
  await expect(rotation).rejects.toMatchObject({ reason: 'KEY_NOT_FOUND' })
})

test('people do not count among the keys of a customer', async () => {
  await addKey(fresh.database, { customerId: 'full' })
  await fresh.database.run({
    text: `
insert into api_keys (id, customer_id, scopes, secret_hash, issuer, subject, person, groups_at)
select 'person_' || n, 'full', '{runs:read}', sha256(n::text::bytea), 'i', n::text, n::text, now()
from generate_series(1, ${maxLiveKeys}) n`,
  })
  const granter = { customerId: 'full', scopes: new Set(scopes) }
  const issued = await issueKey({ database: fresh.database, keyPepper }, granter, { scopes: ['runs:read'] })
  expect(issued.key.signsIn).toBe(false)
})

test('an answer of the provider that is older than the last one changes nothing', async () => {
  const who = { subject: 'late', person: 'late' }
  const [before, asked] = [new Date(Date.now() - 60_000), new Date()]
  const row = await keep({ ...who, roles: ['finance'], askedAt: asked })
  const { keyId = '', secretHash = randomBytes(32) } = row ?? {}
  const rolesNow = async () => {
    const text = 'select roles, secret_hash from api_keys where id = $1'
    return (await fresh.database.run({ text, values: [keyId] }))[0]
  }
  const ending = { customerId: 'acme', keyId, secretHash: randomBytes(32), reason: 'groups' as const }
  expect(await keep({ ...who, roles: ['board'], askedAt: before })).toEqual(row)
  await endSessionsOf(fresh.database, { ...ending, askedAt: before })
  expect(await rolesNow()).toEqual({ roles: ['finance'], secret_hash: secretHash })
  await endSessionsOf(fresh.database, { ...ending, askedAt: new Date() })
  await keep({ ...who, roles: ['finance'], askedAt: asked })
  expect(await rolesNow()).toEqual({ roles: [], secret_hash: ending.secretHash })
  const unchanged = new Date()
  await keep({ ...who, roles: [], askedAt: unchanged })
  await keep({ ...who, roles: ['finance'], askedAt: new Date(unchanged.getTime() - 1) })
  expect(await rolesNow()).toMatchObject({ roles: [] })
})

test('a revoked person stays revoked', async () => {
  const row = await keep({ subject: 'gone', person: 'gone' })
  await fresh.database.run({ text: "update api_keys set revoked_at = now() where subject = 'gone'" })
  expect(await keep({ subject: 'gone', person: 'gone', roles: ['board'] })).toEqual({ ...row, isRevoked: true })
})

test('ending the sessions of a person touches nobody else, and no key with a secret', async () => {
  const [own, elsewhere] = [await keep(), await keep({ customerId: 'other' })]
  const key = await addKey(fresh.database)
  const hashes = () => fresh.database.run({ text: 'select id, secret_hash, roles from api_keys order by id' })
  const before = await hashes()
  const secretHash = randomBytes(32)
  for (const keyId of [elsewhere?.keyId ?? '', key.id])
    await endSessionsOf(fresh.database, { customerId: 'acme', keyId, secretHash, ...noGroups() })
  expect(await hashes()).toEqual(before)
  await endSessionsOf(fresh.database, { customerId: 'acme', keyId: own?.keyId ?? '', secretHash, ...noGroups() })
  expect(await hashes()).toContainEqual({ id: own?.keyId, secret_hash: secretHash, roles: [] })
})

test('the audit log has who signed in, and who ended the sessions: the person, or the groups', async () => {
  const who = { subject: 'audited', person: 'audited' }
  const { keyId = '', secretHash = randomBytes(32) } = (await keep(who)) ?? {}
  const customerId = 'acme'
  const signIn = { askedAt: new Date(), groupsSeconds: 900, sealedRefresh: null, signedInAt: null }
  const session = { tokenHash: randomBytes(32), customerId, keyId, secretHash, maxSeconds: 60, signIn }
  for (let times = 0; times < 2; times += 1) await insertSession(fresh.database, session)
  for (const why of [{ reason: 'signed_out_everywhere' } as const, noGroups()]) {
    const ending = { customerId, keyId, secretHash: randomBytes(32), ...why }
    for (let times = 0; times < 2; times += 1) await endSessionsOf(fresh.database, ending)
  }
  const found = await fresh.database.run({
    text: 'select action, key_id, via, details::jsonb from audit_queue where target = $1 order by at, ctid',
    values: [keyId],
  })
  expect(found).toMatchObject([
    { action: 'person.update', key_id: null, via: 'operator', details: { person: 'audited', roles: ['finance'] } },
    { action: 'person.sign_in', key_id: keyId, via: 'console' },
    { action: 'person.end_sessions', key_id: keyId, via: 'console', details: { reason: 'signed_out_everywhere' } },
    { action: 'person.end_sessions', key_id: null, via: 'operator', details: { reason: 'groups' } },
  ])
})
