// Deletes the outcomes of flushes that are too old to be asked for.
import type { Database } from '../store/postgres/database.ts'
import { deleteBatchesOlderThan } from '../store/run-log/batches.ts'

const keptMinutes = 60

export async function forgetBatches(database: Database): Promise<{ forgotten: number }> {
  return { forgotten: await deleteBatchesOlderThan(database, keptMinutes) }
}
