import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { forgetServiceMinutes, insertServiceMinute, readServiceHistory, type ServiceMinute } from './service-minutes.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(() => fresh.database.run({ text: 'truncate service_minutes' }))
afterAll(() => fresh.drop())

const none = { latencyMs: null, busyPlaces: null, places: null, queued: null, queueSeconds: null }
const minute = (part: Partial<ServiceMinute>): ServiceMinute => ({
  processId: randomUUID(),
  requests: 0,
  errors: 0,
  ...none,
  ...part,
})
const count = async () =>
  (await fresh.database.run<{ count: number }>({ text: 'select count(*)::int from service_minutes' }))[0]?.count

/** Moves all rows into the past. */
const age = (interval: string) =>
  fresh.database.run({ text: `update service_minutes set minute = minute - interval '${interval}'` })

test('processes are added up: requests and places are sums, latency and queue the worst', async () => {
  await insertServiceMinute(
    fresh.database,
    minute({ requests: 5, errors: 1, latencyMs: 20, queued: 3, queueSeconds: 2 }),
  )
  await insertServiceMinute(fresh.database, minute({ requests: 7, latencyMs: 90, busyPlaces: 4, places: 10 }))
  await insertServiceMinute(fresh.database, minute({ busyPlaces: 1, places: 10 }))
  const [point, ...others] = await readServiceHistory(fresh.database)
  expect(others).toEqual([])
  expect(point).toMatchObject({ requests: 12, errors: 1, latencyMs: 90, queued: 3, queueSeconds: 2 })
  expect(point).toMatchObject({ busyPlaces: 5, places: 20 })
})

test('a process that measures twice in a minute keeps the first row', async () => {
  const processId = randomUUID()
  await insertServiceMinute(fresh.database, minute({ processId, requests: 1 }))
  await insertServiceMinute(fresh.database, minute({ processId, requests: 2 }))
  const [first] = await fresh.database.run<{ requests: number }>({
    text: 'select requests from service_minutes order by minute limit 1',
  })
  expect(first?.requests).toBe(1)
})

test('a day is kept and no more, in at most 145 points', async () => {
  await insertServiceMinute(fresh.database, minute({ requests: 1 }))
  await age('23 hours 50 minutes')
  await insertServiceMinute(fresh.database, minute({ requests: 2 }))
  await forgetServiceMinutes(fresh.database)
  expect((await readServiceHistory(fresh.database)).map(({ requests }) => requests)).toEqual([1, 2])
  await age('11 minutes')
  expect((await readServiceHistory(fresh.database)).map(({ requests }) => requests)).toEqual([2])
  await forgetServiceMinutes(fresh.database)
  expect(await count()).toBe(1)
  await fresh.database.run({
    text: `
insert into service_minutes (minute, process_id, requests, errors)
select now() - n * interval '1 minute', gen_random_uuid(), 1, 0
from generate_series(0, 1439) n, generate_series(1, 3)`,
  })
  expect((await readServiceHistory(fresh.database)).length).toBeLessThanOrEqual(145)
})
