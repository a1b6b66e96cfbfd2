// Events with the payload of their type, and what the client must know of states at run time.
// Written as total tables over the contract's types: a new word does not compile until it is placed here.
import type { Event, EventPayload, EventType, RunStatus, terminalEventTypes } from '@runwright/contract'

/** An event of a run; `type` tells which payload it has. */
export type RunEvent = {
  [T in EventType]: Omit<Event, 'type' | 'payload'> & {
    readonly type: T
    readonly payload: { readonly redacted: boolean; readonly value: EventPayload<T> }
  }
}[EventType]

const terminalTypes: Readonly<Record<(typeof terminalEventTypes)[number], true>> = {
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
