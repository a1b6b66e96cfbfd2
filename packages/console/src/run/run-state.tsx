// The state of the run beside its title, which stays in view: status, time and tokens.
import type { RunDetail } from '@runwright/contract'
import { readableNumber } from '../parts/values/readable.ts'
import { RunDuration } from '../parts/values/run-duration.tsx'
import { AwaitingMark, StatusMark } from '../parts/values/status-mark.tsx'

export function RunState({ run }: { readonly run: RunDetail }) {
  const { status, awaiting_input, usage } = run
  return (
    <>
      <span role="status" className="flex gap-1.5">
        {awaiting_input ? <AwaitingMark /> : <StatusMark status={status} />}
      </span>
      <span className="flex gap-x-3 text-sm whitespace-nowrap text-muted tabular-nums">
        <RunDuration run={run} />
        {usage && <span>{readableNumber(usage.tokens)} tokens</span>}
      </span>
    </>
  )
}
