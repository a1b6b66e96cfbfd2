// Counts the statements that some work sends to PostgreSQL, over all connections of this process.
import pg from 'pg'
import { vi } from 'vitest'

export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return query.mock.calls.length
  } finally {
    query.mockRestore()
  }
}
