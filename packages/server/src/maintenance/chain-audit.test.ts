import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { AuditChainer } from './chain-audit.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('all acts are appended, in several batches, and none after an abort', async () => {
  await fresh.database.run({ text: "insert into customers (id) values ('acme')" })
  await fresh.database.run({
    text: `
insert into audit_queue (customer_id, at, action, key_id, via, target)
select 'acme', now(), 'key.create', 'key_1', 'api', 'key_' || n
from generate_series(1, 450) n`,
  })
  const chainer = new AuditChainer(fresh.database)
  expect(await chainer.runOnce(AbortSignal.abort())).toEqual({ chained: 0 })
  expect(await chainer.runOnce()).toEqual({ chained: 450 })
  expect(await chainer.runOnce()).toEqual({ chained: 0 })
})
