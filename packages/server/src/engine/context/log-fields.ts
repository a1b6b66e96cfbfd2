// The fields that every log line about a run has: as the client knows it, and its trace.
import { toWireId } from '../../runtime/ids.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import type { EngineObserver } from './observer.ts'

export function logFields(run: ClaimedRun, observer?: EngineObserver) {
  const traceId = observer?.traceIdOf?.(run)
  return {
    run_id: toWireId('run', run.id),
    request_id: run.requestId,
    ...(traceId !== undefined && { trace_id: traceId }),
  }
}
