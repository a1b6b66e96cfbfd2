// Ends a run that exceeded a limit. One event says so, and it is the run's last.
import type { RunChange } from '../store/run-log/run-change.ts'
import { type ExceededLimit, limitExceeded } from './step-events.ts'

export const limitChange = (
  run: Pick<RunChange, 'runId' | 'customerId' | 'epoch'>,
  limit: ExceededLimit,
): RunChange => ({
  ...run,
  trigger: 'exceed_limit',
  events: [limitExceeded(limit)],
  ...(limit.limitType === 'duration_limit' && { guard: 'deadline_passed' }),
})
