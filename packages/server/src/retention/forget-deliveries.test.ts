import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { forgetDeliveries } from './forget-deliveries.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** A delivery that was written and, unless it is pending, ended so long ago. */
const add = (type: string, ago: string, { pending = false, delivered = false } = {}) =>
  fresh.database.run({
    text: `
insert into webhook_deliveries (customer_id, webhook_id, run_id, seq, type, status, at, queued_at, next_at, ended_at, delivered)
select 'acme', $1, $1, 1, $2, 'queued', now.at, now.at, case when $3 then now() end, case when not $3 then now.at end, $4
from (select now() - $5::interval as at) now`,
    values: [randomUUID(), type, pending, delivered, ago],
  })

test('deliveries are deleted after 7 days, those that were given up after 30, and those that wait end after 4', async () => {
  await add('delivered, old', '8 days', { delivered: true })
  await add('delivered', '6 days', { delivered: true })
  await add('given up, old', '31 days')
  await add('given up', '29 days')
  await add('waiting, old', '5 days', { pending: true })
  await add('waiting', '3 days', { pending: true })
  expect(await forgetDeliveries(fresh.database)).toEqual({ ended: 1, forgotten: 2 })
  const rows = await fresh.database.run({
    text: `select type, next_at is null as ended from webhook_deliveries order by type`,
  })
  expect(rows).toEqual([
    { type: 'delivered', ended: true },
    { type: 'given up', ended: true },
    { type: 'waiting', ended: false },
    { type: 'waiting, old', ended: true },
  ])
})
