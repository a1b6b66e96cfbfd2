// The status of a run, as text with a colour.
import type { RunStatus } from '@runwright/contract'
import { readable } from './readable.ts'

const tones: Readonly<Record<RunStatus, string>> = {
  queued: 'text-muted bg-muted/12',
  running: 'text-info bg-info/12',
  stalled: 'text-warn bg-warn/14',
  succeeded: 'text-good bg-good/12',
  failed: 'text-bad bg-bad/12',
  cancelled: 'text-muted bg-muted/12',
}

const shape =
  'inline-block rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap before:mr-1.5 before:inline-block before:size-1.5 before:rounded-full before:bg-current before:align-middle'

export function StatusMark({ status }: { readonly status: RunStatus }) {
  return <span className={`${shape} ${tones[status]}`}>{readable(status)}</span>
}

/** The API reports `running`, but the run does not continue until it receives a signal. */
export function AwaitingMark() {
  return <span className={`${shape} bg-warn/14 text-warn`}>{readable('awaiting_input')}</span>
}
