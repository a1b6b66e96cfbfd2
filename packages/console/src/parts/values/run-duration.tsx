// How long a run has taken.
import { isTerminalStatus } from '@runwright/client'
import type { ListedRun } from '@runwright/contract'
import { Elapsed } from './duration.tsx'

type TimedRun = Pick<ListedRun, 'status' | 'metadata'>

/** When its time stopped. A stalled run does nothing until somebody resumes it, so its time stands still, too. */
export const stoppedAt = ({ status, metadata }: TimedRun): string | undefined =>
  isTerminalStatus(status) || status === 'stalled' ? metadata.updated_at : undefined

/** From the creation until it stopped, or until now. */
export function RunDuration({ run }: { readonly run: TimedRun }) {
  return <Elapsed since={run.metadata.created_at} until={stoppedAt(run)} />
}
