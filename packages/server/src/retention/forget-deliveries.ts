// Ends deliveries that have waited too long, and deletes old ones: delivered ones after a week, others after a month.
import type { Database } from '../store/postgres/database.ts'
import { deleteOldDeliveries, endOldDeliveries } from '../store/webhooks/old-deliveries.ts'

/** Longer than all attempts of a delivery take. Only an endpoint that is paused again and again holds one longer. */
const ages = { pendingHours: 96, deliveredDays: 7, givenUpDays: 30, atMost: 10_000 }
const batchesPerRun = 100

/** Deletes a limited number; the next call continues. */
export async function forgetDeliveries(database: Database): Promise<{ ended: number; forgotten: number }> {
  const ended = await inBatches(() => endOldDeliveries(database, ages))
  return { ended, forgotten: await inBatches(() => deleteOldDeliveries(database, ages)) }
}

async function inBatches(work: () => Promise<number>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < batchesPerRun; batch += 1) {
    const done = await work()
    total += done
    if (done < ages.atMost) break
  }
  return total
}
