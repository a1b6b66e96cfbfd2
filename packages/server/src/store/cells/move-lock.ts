// One process at a time moves a customer. The lock ends with its connection.
import type { Database } from '../postgres/database.ts'

export async function withMoveLock<T>(
  database: Database,
  customerId: string,
  work: (isOurs: boolean) => Promise<T>,
): Promise<T> {
  return database.withConnection(async (client) => {
    const { rows } = await client.query<{ is_ours: boolean }>(
      "select pg_try_advisory_lock(hashtextextended('runwright move ' || $1, 0)) as is_ours",
      [customerId],
    )
    try {
      return await work(rows[0]?.is_ours ?? false)
    } finally {
      await client.query("select pg_advisory_unlock(hashtextextended('runwright move ' || $1, 0))", [customerId])
    }
  })
}
