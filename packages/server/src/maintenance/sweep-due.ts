// Does what is due: marks lost runs stalled, ends runs past their time, and wakes a worker for runs that are ready. A
// wake-up that was lost costs no more than the time until the next sweep.
import { limitChange } from '../runs/exceed-limit.ts'
import { findDueWork } from '../store/runs/due-work.ts'
import { findPastDeadline } from '../store/runs/overdue-runs.ts'
import { type LeaseSweep, sweepLeases } from './sweep-leases.ts'
import { type SignalTimeoutAction, sweepWaits } from './sweep-waits.ts'

interface Dependencies extends LeaseSweep {
  readonly action: SignalTimeoutAction
  readonly wakeWorker: () => void
  readonly wakeDeliverers: () => void
  readonly wakeScheduler: () => void
}

export interface Swept {
  readonly hasUsage: boolean
  /** Acts that are not in the audit chains yet. */
  readonly hasActs: boolean
  /** When the next sweep has something to do, as far as this one knows. */
  readonly nextInMs: number | undefined
}

export async function sweepDue(dependencies: Dependencies): Promise<Swept> {
  const due = await findDueWork(dependencies.database)
  if (due.ready) dependencies.wakeWorker()
  if (due.deliveries) dependencies.wakeDeliverers()
  if (due.schedules) dependencies.wakeScheduler()
  await Promise.all([
    due.leases && sweepLeases(dependencies),
    due.deadlines && sweepDeadlines(dependencies),
    due.waits && sweepWaits(dependencies),
  ])
  return { hasUsage: due.usage, hasActs: due.audit, nextInMs: due.next_in_ms ?? undefined }
}

/** Finds runs past their duration limit, in any state, and ends them. */
async function sweepDeadlines({ database, runLog }: LeaseSweep): Promise<{ ended: number }> {
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
