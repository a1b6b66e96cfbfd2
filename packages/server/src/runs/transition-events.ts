// The events for a change of a run's status, with exactly the fields of the specification. This file lists which event
// a trigger writes; the status it leads to comes from the state table.
import type { EventType } from '@runwright/contract'
import { terminalEventTypes } from '@runwright/contract'
import { type StateTrigger, targetOf, wireStatus } from '../domain/run/states.ts'
import { statusOfLockedRow } from '../store/run-log/change-values.ts'
import type { NewEvent } from '../store/run-log/run-change.ts'

const workerEvents = {
  succeed: 'run.worker.succeeded',
  fail: 'run.worker.failed',
  reject: 'run.worker.failed',
  signal_timeout_fail: 'run.worker.failed',
  stall: 'run.worker.stalled',
  retry: 'run.worker.retry_scheduled',
} as const satisfies Partial<Record<StateTrigger, EventType>>

const endsAttempt = (type: EventType): boolean => (terminalEventTypes as readonly EventType[]).includes(type)

const statuses = (trigger: StateTrigger) => ({
  from_status: statusOfLockedRow,
  to_status: wireStatus(targetOf(trigger)),
})

export function workerTransition(
  trigger: keyof typeof workerEvents,
  { requestId, reasonCode }: { readonly requestId: string; readonly reasonCode: string | null },
): NewEvent {
  const type = workerEvents[trigger]
  const { from_status, to_status } = statuses(trigger)
  const payload = { request_id: requestId, from_status, to_status, reason_code: reasonCode }
  return { type, payload, terminal: endsAttempt(type) }
}

export const runCancelled = (trigger: 'cancel' | 'signal_timeout_cancel', requestId: string): NewEvent => ({
  type: 'run.cancelled',
  payload: {
    request_id: requestId,
    ...statuses(trigger),
    ...(trigger === 'signal_timeout_cancel' && { reason_code: 'signal_timeout' }),
  },
  terminal: true,
})

export const runResumed = (requestId: string): NewEvent => ({
  type: 'run.resumed',
  payload: { request_id: requestId, ...statuses('resume') },
})
