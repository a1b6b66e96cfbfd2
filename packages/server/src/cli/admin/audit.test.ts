import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { keyPepper } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { chainActs } from '../../store/audit/chain-acts.ts'
import { listEntries } from '../../store/audit/entries.ts'
import { auditCommand } from './audit.ts'

let fresh: FreshDatabase
let out: string[]
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(() => {
  out = []
  const print = (text: string) => void out.push(text)
  vi.spyOn(console, 'log').mockImplementation(print)
  vi.spyOn(console, 'error').mockImplementation(print)
  return () => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  }
})

/** A customer with a chain of five entries. */
let customers = 0
async function newChain(): Promise<string> {
  customers += 1
  const customerId = `c${customers}`
  await fresh.database.run({ text: 'insert into customers (id) values ($1)', values: [customerId] })
  await fresh.database.run({
    text: `insert into audit_queue (customer_id, at, action, key_id, via, target, details)
    select $1, now() + n * interval '1 ms', 'key.create', 'key_1', 'api', 'key_' || n, '{"scopes":["runs:read"]}'
    from generate_series(1, 5) n`,
    values: [customerId],
  })
  await chainActs(fresh.database, 100)
  return customerId
}

const headOf = async (customerId: string) => {
  const [last] = await listEntries(fresh.database, { customerId, limit: 1 })
  return `${last?.seq}:${last?.hash}`
}

async function verify(...argv: string[]): Promise<string> {
  out.length = 0
  const open = async () => (work: (store: never) => Promise<never>) =>
    work({ database: fresh.database, keyPepper } as never)
  await auditCommand(process, open as never).parseAsync(['verify', ...argv], { from: 'user' })
  return out.join('\n')
}

const change = (text: string, customerId: string) =>
  fresh.database.run({ text: text.replaceAll('$1', `'${customerId}'`) })
const of = (seq: number) => `where customer_id = $1 and seq = ${seq}`
const changed = (seq: number) =>
  `Entry ${seq} does not match its hash: it was changed, or the hash of the entry before it was.`

test('prints how many entries each customer has, and the heads', async () => {
  const one = await newChain()
  await fresh.database.run({ text: `insert into customers (id) values ('silent')` })
  expect(await verify(one)).toBe(`${one}: 5 entries, head ${await headOf(one)}`)
  expect(await verify()).toBe(`${one}: 5 entries, head ${await headOf(one)}\nsilent: 0 entries`)
  expect(process.exitCode).toBeUndefined()
})

test.each([
  ['the time', `update audit_entries set at = at + interval '1 ms' ${of(3)}`, changed(3)],
  ['the action', `update audit_entries set action = 'key.rotate' ${of(3)}`, changed(3)],
  ['the key', `update audit_entries set key_id = 'key_2' ${of(3)}`, changed(3)],
  ['that there is a key', `update audit_entries set key_id = null ${of(3)}`, changed(3)],
  ['the name of the key', `update audit_entries set key_name = 'Kim' ${of(3)}`, changed(3)],
  ['the channel', `update audit_entries set via = 'console' ${of(3)}`, changed(3)],
  ['the target', `update audit_entries set target = 'key_9' ${of(3)}`, changed(3)],
  ['the details', `update audit_entries set details = '{}' ${of(3)}`, changed(3)],
  ['the hash', `update audit_entries set hash = sha256('x') ${of(3)}`, changed(3)],
  ['the last hash', `update audit_entries set hash = sha256('x') ${of(5)}`, changed(5)],
  ['the number', `update audit_entries set seq = 9 ${of(3)}`, 'Entry 3 is missing.'],
  ['the customer', `update audit_entries set customer_id = 'x' || $1 ${of(3)}`, 'Entry 3 is missing.'],
  ['the first entry', `delete from audit_entries ${of(1)}`, 'Entry 1 is missing.'],
  ['an entry', `delete from audit_entries ${of(3)}`, 'Entry 3 is missing.'],
  ['the last entry', `delete from audit_entries ${of(5)}`, 'Entry 5 is missing.'],
  ['all entries', 'delete from audit_entries where customer_id = $1', 'Entry 1 is missing.'],
  [
    'two entries, swapped',
    `update audit_entries set seq = 99 ${of(2)}; update audit_entries set seq = 2 ${of(3)};
    update audit_entries set seq = 3 ${of(99)}`,
    changed(2),
  ],
  [
    'the end, with its head',
    `delete from audit_entries ${of(5)}; update audit_heads set seq = 4, hash = sha256('x') where customer_id = $1`,
    'The stored head is not the last entry.',
  ],
  ['the head', 'delete from audit_heads where customer_id = $1', 'The stored head is not the last entry.'],
])('finds that someone changed %s', async (_, text, problem) => {
  const customerId = await newChain()
  await change(text, customerId)
  expect(await verify(customerId)).toBe(`${customerId}: BROKEN. ${problem}`)
  expect(process.exitCode).toBe(1)
})

test('a noted head finds an end that was cut off together with its head, and a chain that was replaced', async () => {
  const [cut, forged] = [await newChain(), await newChain()]
  const [cutHead, forgedHead] = [await headOf(cut), await headOf(forged)]
  expect(await verify(cut, '--head', cutHead)).toContain(': 5 entries')
  await change(
    `delete from audit_entries ${of(5)};
    update audit_heads set seq = 4, hash = (select hash from audit_entries ${of(4)}) where customer_id = $1`,
    cut,
  )
  expect(await verify(cut)).toContain(': 4 entries')
  expect(await verify(cut, '--head', cutHead)).toBe(`${cut}: BROKEN. Entry 5 is missing. The head that was noted is 5.`)
  await change(
    'delete from audit_entries where customer_id = $1; delete from audit_heads where customer_id = $1',
    forged,
  )
  await fresh.database.run({
    text: `insert into audit_queue (customer_id, at, action, via) select $1, now(), 'customer.create', 'operator'
    from generate_series(1, 6)`,
    values: [forged],
  })
  await chainActs(fresh.database, 100)
  expect(await verify(forged)).toContain(': 6 entries')
  process.exitCode = undefined
  expect(await verify(forged, '--head', forgedHead)).toBe(`${forged}: BROKEN. Entry 5 is not the noted one.`)
  expect(process.exitCode).toBe(1)
})

test.each([
  [['--head', '5:abc', 'c1'], '--head must be a head'],
  [['--head', `5:${'0'.repeat(64)}`], '--head needs the customer'],
  [['nobody'], 'does not exist'],
])('%j is refused', async (argv, message) => {
  expect(await verify(...argv)).toContain(message)
  expect(process.exitCode).toBe(1)
})

test('a long chain is read in pages', async () => {
  const customerId = await newChain()
  await fresh.database.run({
    text: `insert into audit_queue (customer_id, at, action, via) select $1, now(), 'customer.create', 'operator'
    from generate_series(1, 2100)`,
    values: [customerId],
  })
  await chainActs(fresh.database, 3_000)
  expect(await verify(customerId)).toContain(': 2,105 entries')
  await change(`delete from audit_entries ${of(2_001)}`, customerId)
  expect(await verify(customerId)).toContain('Entry 2001 is missing.')
})
