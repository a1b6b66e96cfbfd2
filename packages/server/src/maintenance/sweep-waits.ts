// Finds expired waits and cancels, fails or replans their runs, as the service is configured.
import { journalEntry } from '../domain/run/journal.ts'
import { coordinationDecision } from '../runs/step-events.ts'
import { runCancelled, workerTransition } from '../runs/transition-events.ts'
import type { Database } from '../store/postgres/database.ts'
import type { RunChange } from '../store/run-log/run-change.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findExpiredWaits, type OverdueWait } from '../store/runs/overdue-runs.ts'

export type SignalTimeoutAction = 'cancel' | 'fail' | 'replan'

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
  readonly action: SignalTimeoutAction
}

export async function sweepWaits({ database, runLog, action }: Dependencies): Promise<{ expired: number }> {
  const overdue = await findExpiredWaits(database)
  const outcomes = await Promise.all(overdue.map((wait) => runLog.apply(changeFor(action, wait))))
  return { expired: outcomes.filter(({ outcome }) => outcome === 'applied').length }
}

const reasonCode = 'signal_timeout'

function changeFor(action: SignalTimeoutAction, wait: OverdueWait): RunChange {
  const { runId, customerId, awaitSeq, requestId } = wait
  const guarded = {
    runId,
    customerId,
    epoch: null,
    guard: 'wait_expired',
    awaitSeq,
    trigger: `signal_timeout_${action}`,
  } as const
  if (action === 'cancel') {
    return { ...guarded, events: [runCancelled('signal_timeout_cancel', requestId)] }
  }
  if (action === 'fail') {
    return { ...guarded, events: [workerTransition('signal_timeout_fail', { requestId, reasonCode })] }
  }
  return {
    ...guarded,
    readyInMs: 0,
    journal: [journalEntry('resolved', wait.waitKey, {}), journalEntry('replan', String(wait.generation + 1), {})],
    events: [coordinationDecision(requestId, { decision: 'replan', reasonCode, role: 'judge' })],
  }
}
