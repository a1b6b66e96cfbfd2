// How many runs there are of each status.
import type { RunFilter } from './run-filter.ts'

export interface RunCounts {
  readonly counts: Readonly<
    Record<'queued' | 'running' | 'awaiting_input' | 'stalled' | 'succeeded' | 'failed' | 'cancelled', number>
  >
  /** False if there are more runs than were counted. */
  readonly complete: boolean
}

export const useRunCounts = (_filter: RunFilter): RunCounts | undefined => undefined
