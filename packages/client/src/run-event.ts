// Events with the payload of their type, and which events and statuses are terminal.
// A test compares the tables with the contract.
import type { Event, EventPayload, EventType, RunStatus } from './wire.ts'

/** An event of a run; `type` determines its payload. */
export type RunEvent = {
  [T in EventType]: Omit<Event, 'type' | 'payload'> & {
    readonly type: T
    readonly payload: { readonly redacted: boolean; readonly value: EventPayload<T> }
  }
}[EventType]

const terminalTypes: Readonly<Partial<Record<EventType, true>>> = {
  'run.worker.succeeded': true,
  'run.worker.failed': true,
  'run.cancelled': true,
  'run.limit_exceeded': true,
}

const terminalStatuses: Readonly<Record<RunStatus, boolean>> = {
  queued: false,
  running: false,
  stalled: false,
  succeeded: true,
  failed: true,
  cancelled: true,
}

/** Whether the event ends its run; only a retry can follow it. */
export const isTerminalEvent = (event: { readonly type: string }): boolean => Object.hasOwn(terminalTypes, event.type)

export const isTerminalStatus = (status: RunStatus): boolean => terminalStatuses[status]
