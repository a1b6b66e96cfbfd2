import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { addKey, keyPepper, setExpiry } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Authenticator } from '../../access/authenticator.ts'
import { revokeKey } from '../../access/revoke-key.ts'
import { commandLine } from '../output/command-line.ts'
import { customersCommand } from './customers.ts'

let fresh: FreshDatabase
let out: string[]
let err: string[]

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(() => {
  out = []
  err = []
  vi.spyOn(console, 'log').mockImplementation((text) => void out.push(text))
  vi.spyOn(console, 'error').mockImplementation((text) => void err.push(text))
  return () => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  }
})

async function customers(...argv: string[]): Promise<string> {
  out.length = 0
  await customersCommand((work) => work({ database: fresh.database, keyPepper })).parseAsync(argv, { from: 'user' })
  return out.join('\n')
}

test('a customer is created once; a second time fails with one sentence', async () => {
  expect(await customers('create', 'acme')).toMatch(/^ID +CREATED +SUSPENDED +RETENTION DAYS\nacme +\S+Z +- +-$/)
  await customers('create', 'acme')
  expect(err).toEqual(['The customer acme already exists.'])
  expect(process.exitCode).toBe(1)
})

test.each(['', 'a b', 'a/b', 'x'.repeat(65)])('%j is not a customer id', async (id) => {
  await customers('create', id)
  expect(err).toEqual(['A customer id must be 1 to 64 characters of A-Z a-z 0-9 . _ -'])
})

test('the list counts the keys that work', async () => {
  const [live, revoked, expired] = await Promise.all(
    [1, 2, 3].map(() => addKey(fresh.database, { customerId: 'counted' })),
  )
  await revokeKey({ database: fresh.database }, { customerId: 'counted' }, revoked?.id ?? '')
  await setExpiry(fresh.database, expired?.id ?? '', -1)
  expect(live).toBeDefined()
  const listed = JSON.parse(await customers('list', '--json'))
  expect(listed.customers).toContainEqual({
    id: 'counted',
    created_at: expect.any(String),
    suspended_at: null,
    retention_days: null,
    live_keys: 1,
  })
  expect(await customers('list')).toMatch(/^ID +CREATED +SUSPENDED +RETENTION DAYS +LIVE KEYS\n/)
})

test('a suspended customer is refused until it is resumed, and suspending again changes nothing', async () => {
  const { authorization } = await addKey(fresh.database, { customerId: 'late-payer' })
  const isSuspended = async () =>
    (await new Authenticator({ database: fresh.database, keyPepper }).authenticate(authorization)).suspended
  const suspended = await customers('suspend', 'late-payer', '--json')
  expect(JSON.parse(suspended).customer.suspended_at).toEqual(expect.any(String))
  expect(await customers('suspend', 'late-payer', '--json')).toBe(suspended)
  expect(await isSuspended()).toBe(true)
  expect(JSON.parse(await customers('resume', 'late-payer', '--json')).customer.suspended_at).toBeNull()
  expect(await isSuspended()).toBe(false)
})

test.each(['suspend', 'resume'])('%s of a customer that does not exist fails with one sentence', async (verb) => {
  await customers(verb, 'nobody')
  expect(err).toEqual([
    `The customer "nobody" does not exist. Run ${commandLine('customers list')} to see all customers.`,
  ])
  expect(process.exitCode).toBe(1)
})

test('a customer gets its own retention, and loses it again', async () => {
  await customers('create', 'keeper')
  const retention = async (...days: string[]) =>
    JSON.parse(await customers('set-retention', 'keeper', ...days, '--json')).customer.retention_days
  expect(await retention('7')).toBe(7)
  expect(await retention('none')).toBeNull()
})

test.each(['0', '-1', '1.5', '36501', 'forever', ''])('%j is not a retention', async (days) => {
  await customers('create', 'keeper')
  err.length = 0
  await customers('set-retention', 'keeper', '--', days)
  expect(err).toEqual(['The retention must be none or a whole number of days from 1 to 36500.'])
})

test.each([
  ['export', []],
  ['erase', ['--yes']],
  ['set-retention', ['7']],
])('%s refuses a customer that does not exist', async (verb, more) => {
  await customers(verb, 'nobody', ...more)
  expect(err.join()).toContain('The customer "nobody" does not exist.')
  expect(process.exitCode).toBe(1)
})
