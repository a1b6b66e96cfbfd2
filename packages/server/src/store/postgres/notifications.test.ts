// The duty: one of all processes has it, and another one takes it over when that one is gone or stands still.
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { blockLoop } from '../../../test/support/busy-loop.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { urlOf } from '../../../test/support/processes.ts'
import { Notifications } from './notifications.ts'

let fresh: FreshDatabase
let open: Notifications[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(open.map((one) => one.stop()))
  open = []
})

function start(options: Partial<ConstructorParameters<typeof Notifications>[0]> = {}): Notifications {
  const notifications = new Notifications({
    connection: fresh.connection,
    channel: 'test',
    onMessage: () => undefined,
    onListening: () => undefined,
    pingEveryMs: 100,
    ...options,
  })
  notifications.start()
  open.push(notifications)
  return notifications
}

const getsDuty = (notifications: Notifications) =>
  expect.poll(() => notifications.isLeader, { timeout: 5_000 }).toBe(true)

/** Resolves when it has checked its connection again, and so has asked for the duty again. */
function nextPing(): Promise<void> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  return expect
    .poll(() => query.mock.calls.filter(([text]) => String(text).includes('pg_try_advisory_lock')).length)
    .toBeGreaterThanOrEqual(2)
}

test('one process has it, until it stops', async () => {
  const first = start()
  await getsDuty(first)
  const second = start()
  await nextPing()
  expect([first.isLeader, second.isLeader]).toEqual([true, false])
  await first.stop()
  expect(first.isLeader).toBe(false)
  await getsDuty(second)
})

test('a process whose connection is lost does not believe that it still has it', async () => {
  const first = start()
  await getsDuty(first)
  const lost = expect.poll(() => first.isListening, { interval: 1 }).toBe(false)
  await fresh.database.run({
    text: `
select pg_terminate_backend(pid)
from pg_stat_activity
where application_name = 'runwright wake-ups' and datname = current_database()`,
  })
  await lost
  expect(first.isLeader).toBe(false)
  await getsDuty(first)
})

test('a process that stands still loses it', async () => {
  const still = start()
  await getsDuty(still)
  const { query } = pg.Client.prototype
  let goOn = () => {}
  let isStill = true
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...sent: unknown[]) {
    if (isStill && sent[0] === 'select 1')
      return new Promise((resolve) => {
        goOn = () => resolve({ rows: [] })
      })
    return Reflect.apply(query, this, sent)
  } as typeof query)
  const other = start()
  await getsDuty(other)
  isStill = false
  goOn()
})

test('it stops although it is still connecting', async () => {
  const notifications = start()
  await notifications.stop()
  expect(notifications.isListening).toBe(false)
})

test('it knows how long it could not listen', async () => {
  const notifications = start()
  await getsDuty(notifications)
  expect(notifications.lastOutage).toBeUndefined()
  await fresh.database.run({
    text: `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'runwright wake-ups'`,
  })
  await expect.poll(() => notifications.lastOutage).toMatchObject({ ms: expect.any(Number) })
})

test('a process that is too busy to hear the answer of its server keeps its connection, and the duty', async () => {
  // With several servers, one that does not answer within two seconds is left.
  const url = urlOf(fresh.connection)
  const host = url.slice(url.indexOf('@') + 1, url.lastIndexOf('/'))
  let lost = 0
  const notifications = start({
    connection: { connectionString: url.replace(host, `${host},${host}`) },
    onLost: () => {
      lost += 1
    },
    pingEveryMs: 1_500,
  })
  await getsDuty(notifications)
  const { query } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const answer = Reflect.apply(query, this, args)
    if (spy.mock.calls.length === 1) blockLoop(2_500)
    return answer
  } as typeof query)
  await expect.poll(() => spy.mock.calls.length).toBeGreaterThan(2)
  expect([lost, notifications.isLeader]).toEqual([0, true])
})
