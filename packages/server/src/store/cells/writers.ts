// Waits for statements that began before writes of a customer were refused: they may not know it yet.
import { sleep } from '../../runtime/backoff.ts'
import type { Database } from '../postgres/database.ts'

/** What a client is told to have been written is in one of these. */
const tables = ['runs', 'api_keys', 'console_sessions', 'budgets', 'webhooks', 'schedules', 'kept_answers', 'customers']
const pollMs = 20

/**
 * New statements do not wait for this. A statement locks its tables before it takes its snapshot, and until its end.
 */
export async function waitForWriters(database: Database): Promise<void> {
  for (let writers = await findWriters(database); writers.length > 0; await sleep(pollMs)) {
    const current = new Set(await findWriters(database))
    writers = writers.filter((writer) => current.has(writer))
    if (writers.length === 0) return
  }
}

async function findWriters(database: Database): Promise<string[]> {
  const rows = await database.query<{ writer: string }>({
    text: `
select distinct virtualtransaction as writer
from pg_locks
where locktype = 'relation' and granted and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()
  and database = (select oid from pg_database where datname = current_database())
  and relation = any ($1::regclass[]::oid[])`,
    values: [tables],
  })
  return rows.map(({ writer }) => writer)
}
