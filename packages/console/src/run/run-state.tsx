// The state of the run beside its title, which stays in view: status, time and tokens.
import { isTerminalStatus } from '@runwright/client'
import type { RunDetail } from '@runwright/contract'
import { Elapsed } from '../parts/values/duration.tsx'
import { readableNumber } from '../parts/values/readable.ts'
import { AwaitingMark, StatusMark } from '../parts/values/status-mark.tsx'

export function RunState({ run: { status, awaiting_input, usage, metadata } }: { readonly run: RunDetail }) {
  // A stalled run does nothing: its time stands still.
  const isStill = isTerminalStatus(status) || status === 'stalled'
  return (
    <>
      <span role="status" className="flex gap-1.5">
        {awaiting_input ? <AwaitingMark /> : <StatusMark status={status} />}
      </span>
      <span className="flex gap-x-3 text-sm whitespace-nowrap text-muted tabular-nums">
        <Elapsed since={metadata.created_at} until={isStill ? metadata.updated_at : undefined} />
        {usage && <span>{readableNumber(usage.tokens)} tokens</span>}
      </span>
    </>
  )
}
