import { expect, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { Database } from './database.ts'
import { migrate } from './migrate.ts'

test('a start waits for another one that migrates, longer than the statement timeout', async () => {
  const fresh = await freshDatabase({ migrated: false })
  const hasty = new Database({
    connection: fresh.connection,
    maxConnections: 1,
    applicationName: 'runwright test',
    statementTimeoutMs: 200,
  })
  try {
    const [first, second] = await fresh.database.withConnection(async (client) => {
      await client.query('select pg_advisory_lock(7205201119)')
      const starts = [migrate(hasty), migrate(fresh.database)]
      await client.query('select pg_sleep(2.5)')
      await client.query('select pg_advisory_unlock(7205201119)')
      return Promise.all(starts)
    })
    await expect(hasty.run({ text: 'select pg_sleep(1)' })).rejects.toMatchObject({ code: '57014' })
    expect([...(first?.applied ?? []), ...(second?.applied ?? [])]).toContain('001_schema.sql')
    expect(first?.applied.length === 0 || second?.applied.length === 0).toBe(true)
  } finally {
    await hasty.close()
    await fresh.drop()
  }
})
