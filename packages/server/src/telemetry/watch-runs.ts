// Counts runs that are created, stall and end, from what this process commits.
import { terminalStates, wireStatus } from '../domain/run/states.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import type { Metrics } from './metrics.ts'

/** The worker is gone, or could not renew its lease. A step that takes too long stalls a run too. */
const leaseReasons: readonly string[] = ['heartbeat_lost', 'lease_lost', 'crashes_worker']

export function countRuns({ of }: Metrics, committed: readonly Committed[]): void {
  for (const { state, events } of committed) {
    if (state === undefined || state === 'running') continue
    if (state === 'queued' && events[0]?.type === 'run.created') of.created.inc()
    else if (state === 'stalled') countStall(of, events)
    else if (terminalStates.includes(state)) of.ended.inc({ status: wireStatus(state) })
  }
}

function countStall(of: Metrics['of'], events: Committed['events']): void {
  const payload = events.find(({ type }) => type === 'run.worker.stalled')?.payload
  const { reason_code: reason = 'unknown' } = payload === undefined ? {} : JSON.parse(payload)
  of.stalled.inc({ reason })
  if (leaseReasons.includes(reason)) of.leasesLost.inc()
}
