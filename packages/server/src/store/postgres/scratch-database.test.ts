import { expect, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { urlOf } from '../../../test/support/processes.ts'
import { Database } from './database.ts'
import { createScratchDatabase } from './scratch-database.ts'

test('a scratch database is another one on the same server, and is gone after the drop', async () => {
  const { connection, database, drop } = await freshDatabase()
  const scratch = await createScratchDatabase({ connectionString: urlOf(connection) })
  const inside = new Database({ connection: scratch.connection, maxConnections: 1, applicationName: 'test' })
  const [row] = await inside.query<{ name: string }>({ text: 'select current_database() as name' })
  expect(row?.name).toMatch(/^runwright_eval_[0-9a-f]{16}$/)
  // It is still connected: the drop does not wait for it.
  await scratch.drop()
  await inside.close()
  const left = await database.query({ text: 'select 1 from pg_database where datname = $1', values: [row?.name] })
  expect(left).toEqual([])
  await drop()
})
