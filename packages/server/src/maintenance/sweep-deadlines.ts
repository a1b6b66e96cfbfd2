// Finds runs past their duration limit, in any state, and ends them.
import { limitChange } from '../runs/exceed-limit.ts'
import type { Database } from '../store/postgres/database.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findPastDeadline } from '../store/runs/overdue-runs.ts'

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
}

export async function sweepDeadlines({ database, runLog }: Dependencies): Promise<{ ended: number }> {
  const overdue = await findPastDeadline(database)
  const outcomes = await Promise.all(
    overdue.map(({ runId, customerId, elapsedSeconds, durationSeconds }) =>
      runLog.apply(
        limitChange(
          { runId, customerId, epoch: null },
          { limitType: 'duration_limit', currentValue: elapsedSeconds, threshold: durationSeconds },
        ),
      ),
    ),
  )
  return { ended: outcomes.filter(({ outcome }) => outcome === 'applied').length }
}
