// Checks that the database answers, and reads its version.
import type { Database } from './database.ts'

export async function readDatabaseHealth(database: Database): Promise<{ version: string }> {
  const [row] = await database.run<{ version: string }>({ text: "select current_setting('server_version') as version" })
  return { version: row?.version ?? '' }
}
