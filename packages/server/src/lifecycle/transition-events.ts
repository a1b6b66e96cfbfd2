// The events that mark a run's way from one status to the next, with exactly the fields of the specification.
import type { EventType, RunStatus } from '@runwright/contract'
import { terminalEventTypes } from '@runwright/contract'
import { statusOfLockedRow } from '../store/run-log/change-statement.ts'
import type { NewEvent } from '../store/run-log/run-change.ts'

type WorkerTransition = Extract<EventType, `run.worker.${string}`>

const endsAttempt = (type: EventType): boolean => (terminalEventTypes as readonly EventType[]).includes(type)

export const workerTransition = (
  type: WorkerTransition,
  { requestId, to, reasonCode }: { requestId: string; to: RunStatus; reasonCode: string | null },
): NewEvent => ({
  type,
  payload: { request_id: requestId, from_status: statusOfLockedRow, to_status: to, reason_code: reasonCode },
  terminal: endsAttempt(type),
})

export const runCancelled = (requestId: string, reasonCode?: 'signal_timeout'): NewEvent => ({
  type: 'run.cancelled',
  payload: {
    request_id: requestId,
    from_status: statusOfLockedRow,
    to_status: 'cancelled',
    ...(reasonCode && { reason_code: reasonCode }),
  },
  terminal: true,
})

export const runResumed = (requestId: string, to: 'running' | 'queued'): NewEvent => ({
  type: 'run.resumed',
  payload: { request_id: requestId, from_status: statusOfLockedRow, to_status: to },
})
