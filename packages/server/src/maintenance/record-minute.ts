// Records what this process measured in the last minute. The process that has the duty adds the queue, and deletes what
// is older than a day.
import { forgetServiceMinutes, insertServiceMinute } from '../store/installation/service-minutes.ts'
import type { Database } from '../store/postgres/database.ts'
import { readFleetCounts } from '../store/runs/fleet-counts.ts'
import type { MinuteFigures } from './minute-figures.ts'

interface RecordMinuteOptions {
  readonly database: Database
  readonly processId: string
  readonly figures: MinuteFigures
  readonly isOnDuty: boolean
}

export async function recordMinute({ database, processId, figures, isOnDuty }: RecordMinuteOptions): Promise<void> {
  const queue = isOnDuty ? await readQueue(database) : { queued: null, queueSeconds: null }
  await insertServiceMinute(database, { processId, ...figures.take(), ...queue })
  if (isOnDuty) await forgetServiceMinutes(database)
}

async function readQueue(database: Database) {
  const { queues } = await readFleetCounts(database)
  return {
    queued: queues.reduce((sum, { depth }) => sum + depth, 0),
    queueSeconds: Math.max(0, ...queues.map(({ ageSeconds }) => ageSeconds)),
  }
}
