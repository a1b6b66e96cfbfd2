// Trims runs that ended some time ago.
import type { Database } from '../postgres/database.ts'
import { trimStatement } from './trim-statement.ts'

interface Trim {
  /** For how long a run must have ended. */
  readonly hours: number
  readonly atMost: number
}

/** Returns how many runs it trimmed. A repeated call trims the next ones. */
export async function trimEndedRuns(database: Database, { hours, atMost }: Trim): Promise<number> {
  // Not retried: the next call trims what is left.
  const [row] = await database.run<{ trimmed: number }>({ text: trimStatement, values: [hours, atMost] })
  return row?.trimmed ?? 0
}
