// Deletes what is not read any more of runs that ended a day ago. Several processes may do it at once.
import type { Database } from '../store/postgres/database.ts'
import { trimEndedRuns } from '../store/run-log/trim-runs.ts'

const hours = 24
const batchSize = 500
const batchesPerRun = 200

/** Trims a limited number of runs; the next call continues. */
export async function trimRuns(database: Database): Promise<{ trimmed: number }> {
  let trimmed = 0
  for (let batch = 0; batch < batchesPerRun; batch += 1) {
    const taken = await trimEndedRuns(database, { hours, atMost: batchSize })
    trimmed += taken
    if (taken < batchSize) break
  }
  return { trimmed }
}
