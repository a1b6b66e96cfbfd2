// Deletes the answers to requests with idempotency keys when their time is over. They do not count any more: this only
// frees their rows.

import type { Database } from '../store/postgres/database.ts'
import { deleteOldAnswers } from '../store/requests/kept-answers.ts'

const atOnce = 10_000

export async function forgetAnswers(database: Database): Promise<{ forgotten: number }> {
  let forgotten = 0
  for (let deleted = atOnce; deleted === atOnce; forgotten += deleted)
    deleted = await deleteOldAnswers(database, atOnce)
  return { forgotten }
}
