import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WatchedDatabase } from '../../../test/support/access.ts'
import {
  addSchedule,
  addWebhook,
  rowsOfCustomer,
  sealValue,
  seedCustomer,
} from '../../../test/support/customer-rows.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { chainActs } from '../audit/chain-acts.ts'
import { type ChainHead, listHeads } from '../audit/entries.ts'
import { verifyChain } from '../audit/verify-chain.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { findWebhookSecretsBefore } from '../webhooks/sealed-secrets.ts'
import { copyRest, copySettled, deleteCustomerRows } from './customer-copy.ts'
import { expectCustomer, openForCustomer, setMoveState } from './move-state.ts'
import { waitForWriters } from './writers.ts'

const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
let source: FreshDatabase
let target: FreshDatabase
let keys: { source: SealingKeys; target: SealingKeys }

beforeAll(async () => {
  ;[source, target] = [await freshDatabase(), await freshDatabase()]
  // The target has had another encryption key before, so the ids of its data keys differ.
  await new SealingKeys(target.database, { ...secrets, encryptionKey: randomBytes(32) }).open().catch(() => undefined)
  await target.database.run({ text: 'delete from data_key_wraps' })
  await target.database.run({ text: 'delete from data_keys' })
  keys = {
    source: new SealingKeys(source.database, secrets),
    target: new SealingKeys(target.database, secrets),
  }
  await Promise.all([keys.source.open(), keys.target.open()])
  await seedCustomer(source.database, 'other', 3)
  await seedCustomer(source.database, 'acme', 550)
  await sealValue(source.database, keys.source, 'acme', 'correct horse')
  await addWebhook(source.database, keys.source, 'acme', 'whsec_battery')
  await addSchedule(source.database, keys.source, 'acme', '{"input":"staple"}')
  await expectCustomer(target.database, 'acme', 'a')
  await target.database.run({
    text: `insert into usage_deltas (customer_id, hour, event_type, count, quantity) values ('else', now(), 'run.created', 1, 1)`,
  })
})
afterAll(() => Promise.all([source.drop(), target.drop()]))

const options = () => ({ customerId: 'acme', source: source.database, target: target.database, keys })

test('two cells with the same pepper hash requests alike', () => {
  expect(keys.source.hashBody('body')).toEqual(keys.target.hashBody('body'))
})

test('ended runs are copied once, and again only if they have changed', async () => {
  const said: string[] = []
  expect(await copySettled({ ...options(), report: (line) => said.push(line) })).toBe(1_102)
  expect(said.slice(0, 2)).toEqual([
    'copied 500 of 550 rows of runs and what belongs to them',
    'copied 550 of 550 rows of runs and what belongs to them',
  ])
  expect(await copySettled(options())).toBe(0)
  await source.database.run({
    text: `update runs set epoch = epoch + 1 where customer_id = 'acme' and idempotency_key in ('key-7', 'key-300')`,
  })
  expect(await copySettled(options())).toBe(2)
})

test('the rest is copied: every table of the catalog has the same rows, and other customers stay', async () => {
  await source.database.run({ text: `delete from runs where customer_id = 'acme' and idempotency_key = 'key-9'` })
  expect(await copyRest(options())).toBe(1)
  const [here, there] = [await rowsOfCustomer(source.database, 'acme'), await rowsOfCustomer(target.database, 'acme')]
  const orphans = (rows: Record<string, string[]>) =>
    Object.fromEntries(
      Object.entries(rows).map(([table, texts]) => [
        table,
        // The source keeps what belonged to the deleted run.
        table === 'memory_items' ? texts : texts.filter((text) => !text.includes('000000000009')),
      ]),
    )
  expect(orphans(there)).toEqual(orphans(here))
  expect(there.runs?.filter((text) => text.includes('000000000009'))).toEqual([])
  expect(Object.entries(there).filter(([, rows]) => rows.length === 0)).toEqual([])
  expect((await rowsOfCustomer(target.database, 'other')).runs).toEqual([])
})

test('an identity column gets values of the new cell', async () => {
  const rows = await target.database.run<{ id: number }>({ text: 'select id from usage_deltas order by id' })
  expect(rows.map(({ id }) => id)).toEqual([1, 2])
})

test('a sealed value opens with the keys of the new cell', async () => {
  const [row] = await target.database.run<{ run_id: string; sealed: Buffer; sealed_key: number }>({
    text: 'select run_id, sealed, sealed_key from run_inputs where sealed is not null',
  })
  expect(row?.sealed_key).toBe(keys.target.keyring.newest)
  expect(row?.sealed_key).not.toBe(keys.source.keyring.newest)
  const value = { keyId: row?.sealed_key ?? 0, bytes: row?.sealed ?? Buffer.alloc(0) }
  expect(keys.target.keyring.open(value, { runId: row?.run_id ?? '', customerId: 'acme' })).toBe('correct horse')
})

test('the secrets of a webhook open with the keys of the new cell', async () => {
  const newest = keys.target.keyring.newest
  const [found] = await findWebhookSecretsBefore(target.database, newest + 1)
  const opened = [found?.current, ...(found?.old ?? [])].map(
    (one) => one && found && keys.target.keyring.open(one, found),
  )
  expect(opened).toEqual(['whsec_battery', 'whsec_battery_old'])
})

test('the body of a schedule opens with the keys of the new cell', async () => {
  const [row] = await target.database.run<{ id: string; sealed: Buffer; sealed_key: number }>({
    text: 'select id, sealed, sealed_key from schedules',
  })
  const value = { keyId: row?.sealed_key ?? 0, bytes: row?.sealed ?? Buffer.alloc(0) }
  expect(keys.target.keyring.open(value, { scheduleId: row?.id ?? '', customerId: 'acme' })).toBe('{"input":"staple"}')
})

test('a run that was ready long ago is ready now in the new cell', async () => {
  await openForCustomer(target.database, 'acme')
  const [row] = await target.database.run<{ recent: boolean }>({
    text: `select ready_at > clock_timestamp() - interval '1 minute' as recent from runs where state = 'queued'`,
  })
  expect(row).toEqual({ recent: true })
})

test('the audit chain goes on in the new cell', async () => {
  await chainActs(target.database, 10)
  const [head] = await listHeads(target.database, 'acme')
  expect(head?.seq).toBe(3)
  expect(await verifyChain(target.database, head as ChainHead)).toEqual({ head })
})

test('the old cell keeps nothing but the customer, and its other customers', async () => {
  await setMoveState(source.database, 'acme', { move: 'moved', cell: 'b' })
  await deleteCustomerRows(source.database, 'acme')
  const left = await rowsOfCustomer(source.database, 'acme')
  expect(Object.values(left).flat()).toEqual([])
  expect((await rowsOfCustomer(source.database, 'other')).runs).toHaveLength(4)
})

test('keys, sessions and budgets of a moving customer are not changed', async () => {
  await setMoveState(source.database, 'other', { move: 'held', cell: 'b' })
  const changes = [
    `update api_keys set revoked_at = now() where customer_id = 'other'`,
    `delete from console_sessions where customer_id = 'other'`,
    `update budgets set tokens = 6 where customer_id = 'other'`,
    `insert into budgets (customer_id, level, label, period, tokens, created_at, updated_at)
    values ('other', 'workspace', 'w', 'day', 1, now(), now())`,
  ]
  for (const text of changes) await expect(source.database.run({ text })).rejects.toMatchObject({ code: '23M01' })
  await source.database.run({ text: `update api_keys set last_used_at = now() where customer_id = 'other'` })
  await setMoveState(source.database, 'other', { move: null, cell: null })
  for (const text of changes.slice(0, 1)) await source.database.run({ text })
})

test('a hold waits for a statement that began before it, and not for those after it', async () => {
  const write = { text: `update runs set epoch = epoch + 1 where customer_id = 'other'` }
  const watched = new WatchedDatabase(source.connection)
  let hasWaited = false
  let waited: Promise<void> | undefined
  await source.database.transaction(async (client) => {
    await client.query(write.text)
    waited = waitForWriters(watched).then(() => {
      hasWaited = true
    })
    await watched.untilExecuted(3)
    expect(hasWaited).toBe(false)
  })
  await waited
  expect(hasWaited).toBe(true)
  await watched.close()
})
