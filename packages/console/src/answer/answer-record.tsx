// An answer that was given: the question, who answered what and when, and the reason or the data.
import { type RunSignal, type SignalAction, visibleText } from '@runwright/contract'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { questionText } from './question-text.ts'

const verbs: Readonly<Record<SignalAction, string>> = {
  approve: 'approved',
  reject: 'rejected',
  submit_input: 'answered with data',
}

export const reasonOf = (payload: unknown): string | undefined =>
  typeof payload === 'object' && payload !== null && 'reason' in payload && typeof payload.reason === 'string'
    ? payload.reason
    : undefined

/** `Ada approved it, 17 Nov 2026, 10:03`, and the reason or the data. */
export function AnswerWords({ signal }: { readonly signal: RunSignal }) {
  const reason = reasonOf(signal.payload)
  const hasData = signal.action === 'submit_input' && signal.payload !== null && signal.payload !== undefined
  return (
    <div className="flex flex-col gap-1">
      <p>
        <span title={signal.key_id}>{signal.person ?? signal.key_name ?? signal.key_id}</span>{' '}
        {signal.call ? 'answered' : verbs[signal.action]} it, <Instant at={signal.at} />
        {signal.counted && ', and others have to decide, too'}.
      </p>
      {reason !== undefined && <p className="wrap-anywhere">Reason: {visibleText(reason)}</p>}
      {signal.call && <CallWords call={signal.call} />}
      {hasData && <ArgumentsTable label="Data of the answer" value={signal.payload} />}
    </div>
  )
}

/** What was decided about the call instead of approving it as it was. */
function CallWords({ call }: { readonly call: NonNullable<RunSignal['call']> }) {
  const { deny, error, arguments: given, result } = call
  if (deny !== undefined) return <p className="wrap-anywhere">The call was denied: {visibleText(deny)}</p>
  if (error !== undefined) return <p className="wrap-anywhere">The call failed: {visibleText(error)}</p>
  if (given !== undefined) return <ArgumentsTable label="Arguments that were used instead" value={given} />
  return <ArgumentsTable label="Result that was given" value={result} />
}

export function AnswerRecord({ signal }: { readonly signal: RunSignal }) {
  const { asked } = signal
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium whitespace-pre-wrap wrap-anywhere">{questionText(asked)}</p>
      {asked.tool !== null && (
        <>
          <p className="text-sm">
            Tool: <span className="font-mono">{visibleText(asked.tool)}</span>
          </p>
          {asked.arguments !== null && asked.arguments !== undefined && (
            <ArgumentsTable label={`Arguments of ${visibleText(asked.tool)}`} value={asked.arguments} />
          )}
        </>
      )}
      <AnswerWords signal={signal} />
    </div>
  )
}
