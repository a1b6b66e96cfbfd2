import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { readDatabaseHealth } from './health.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('a snapshot that is held for long is reported, in seconds, until it ends', async () => {
  await fresh.open(1).transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read')
    await client.query('select 1')
    expect(await readDatabaseHealth(fresh.database, 0)).toMatchObject({ heldSnapshotSeconds: expect.any(Number) })
    expect(await readDatabaseHealth(fresh.database)).toMatchObject({ heldSnapshotSeconds: undefined })
  })
  expect(await readDatabaseHealth(fresh.database, 0)).toMatchObject({ heldSnapshotSeconds: undefined })
})

test('a transaction of another database, or one without a snapshot, is not reported', async () => {
  const other = await freshDatabase()
  try {
    await other.open(1).transaction(async (elsewhere) => {
      await elsewhere.query('set transaction isolation level repeatable read')
      await elsewhere.query('select 1')
      await fresh.open(1).transaction(async (client) => {
        await client.query('select 1')
        expect(await readDatabaseHealth(fresh.database, 0)).toMatchObject({ heldSnapshotSeconds: undefined })
      })
    })
  } finally {
    await other.drop()
  }
})
