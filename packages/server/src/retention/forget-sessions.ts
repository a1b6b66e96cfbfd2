// Deletes sessions of the console that have expired. They are refused already: this only frees their rows.
import { deleteExpiredSessions } from '../store/keys/sessions.ts'
import type { Database } from '../store/postgres/database.ts'

export async function forgetSessions(database: Database): Promise<{ forgotten: number }> {
  return { forgotten: await deleteExpiredSessions(database) }
}
