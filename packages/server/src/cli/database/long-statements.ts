// Connections for commands whose statements take longer than those of a request.
import { Database, type DatabaseOptions } from '../../store/postgres/database.ts'

const statementTimeoutMs = 3_600_000

export async function withLongStatements<T>(
  database: Database,
  work: (longRunning: Database) => Promise<T>,
  more: Pick<DatabaseOptions, 'session'> = {},
): Promise<T> {
  const longRunning = new Database({ ...database.options, statementTimeoutMs, maxConnections: 1, ...more })
  try {
    return await work(longRunning)
  } finally {
    await longRunning.close()
  }
}
