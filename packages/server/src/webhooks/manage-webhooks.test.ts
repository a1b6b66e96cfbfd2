// Which addresses a new webhook may have.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { endpointRules } from '../tools/http-fetch/endpoint-rules.ts'
import { createWebhook } from './manage-webhooks.ts'

let fresh: FreshDatabase
let keys: SealingKeys
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: `insert into customers (id) values ('acme')` })
  keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  await keys.open()
})
afterAll(() => fresh.drop())

const caller = { customerId: 'acme', keyId: 'key_1' }
const keyPepper = randomBytes(32)
const storeWith = (addresses: 'allow' | 'deny') => ({
  ...{ database: fresh.database, keyring: keys.keyring, keyPepper },
  rules: endpointRules(addresses),
})

test.each([
  'http://hooks.example/',
  'https://10.0.0.1/',
  'https://localhost/',
  'https://hooks.example:8443/',
  'https://user:secret@hooks.example/',
  'ftp://hooks.example/',
  'hooks',
])('%s is refused when the webhook is created', async (url) => {
  const created = createWebhook(storeWith('deny'), caller, { url })
  await expect(created).rejects.toMatchObject({ reason: 'WEBHOOK_PAYLOAD_INVALID' })
})

test.each([
  ['http://127.0.0.1:3000/hooks', 'must use https', true],
  ['https://10.0.0.1/', 'not on the public Internet', true],
  ['https://hooks.example:8443/', 'Port 8443', true],
  ['http://hooks.example/', 'must use https', false],
  ['https://user:secret@hooks.example/', 'user name', false],
])('the refusal of %s names the setting only if that would help', async (url, problem, isNamed) => {
  const strict = storeWith('deny')
  const refusal = await createWebhook(strict, caller, { url }).catch((error: Error) => error.message)
  expect(refusal).toContain(problem)
  expect(String(refusal).includes('RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES=allow')).toBe(isNamed)
})

test('over http is refused beyond this host, even if private addresses are allowed', async () => {
  await expect(createWebhook(storeWith('allow'), caller, { url: 'http://10.0.0.1/' })).rejects.toThrow('must use https')
  await expect(createWebhook(storeWith('allow'), caller, { url: 'https://10.0.0.1:8443/' })).resolves.toBeDefined()
})
