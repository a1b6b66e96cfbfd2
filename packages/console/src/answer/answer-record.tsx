// An answer that was given: the question, who answered what and when, and the reason or the data.
import { channelWords, editWords, type RunSignal, type SignalAction, visibleText } from '@runwright/contract'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { plural } from '../parts/values/plural.ts'
import { questionText } from './question-text.ts'

const verbs: Readonly<Record<SignalAction, string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  submit_input: 'Answered with data',
}

type Decided = NonNullable<RunSignal['call']> & { readonly approve?: true | undefined }

const verbOfCall = ({ deny, error, arguments: given, approve }: Decided): string => {
  if (deny !== undefined) return 'Denied'
  if (error !== undefined) return 'Answered with a failure'
  return given !== undefined || approve ? 'Approved' : 'Answered with a result'
}

/** An answer, and what it is about. */
export type GivenAnswer = Omit<RunSignal, 'seq' | 'counted'> & Partial<Pick<RunSignal, 'counted'>>

/** `by Ada (finance) by link`: the roles are those of that moment. */
const whoOf = ({ person, key_name, key_id, roles, via }: GivenAnswer): string => {
  // A link for a role names no person, and the key is that of the program that made it.
  if (via === 'link' && person === null) return `by ${roles.map(visibleText).join(', ')} by link`
  const name = visibleText(person ?? key_name ?? key_id)
  const named = roles.length === 0 ? `by ${name}` : `by ${name} (${roles.map(visibleText).join(', ')})`
  return `${named}${channelWords(via)}`
}

export const reasonOf = (payload: unknown): string | undefined =>
  typeof payload === 'object' && payload !== null && 'reason' in payload && typeof payload.reason === 'string'
    ? payload.reason
    : undefined

/** `Approved by Ada (finance), edited amount 500 → 450, 17 Nov 2026, 10:03`, and the reason or the data. */
export function AnswerWords({ signal }: { readonly signal: GivenAnswer }) {
  const { asked, call, calls, payload } = signal
  const reason = reasonOf(payload)
  // An approval has data where its question has a schema. The reason of a rejection is shown as such.
  const hasData = signal.action !== 'reject' && payload !== null && payload !== undefined
  const edits = call?.arguments === undefined ? undefined : editWords(asked.arguments, call.arguments)
  const verb = calls ? `Decided about ${plural(calls.length, 'call')}` : call ? verbOfCall(call) : verbs[signal.action]
  return (
    <div className="flex flex-col gap-1">
      <p className="wrap-anywhere">
        {verb} <span title={signal.key_id}>{whoOf(signal)}</span>
        {edits && `, ${edits}`}, <Instant at={signal.at} />
        {signal.counted && ', and others have to decide, too'}.
      </p>
      {reason !== undefined && <p className="wrap-anywhere">Reason: {visibleText(reason)}</p>}
      {call && <CallWords call={call} />}
      {calls && <CallsWords calls={calls} asked={asked.calls ?? []} />}
      {hasData && <ArgumentsTable label="Data of the answer" value={payload} />}
    </div>
  )
}

interface CallsWordsProps {
  readonly calls: NonNullable<RunSignal['calls']>
  readonly asked: NonNullable<RunSignal['asked']['calls']>
}

/** Several calls that were decided at once, each on a line. */
function CallsWords({ calls, asked }: CallsWordsProps) {
  return (
    <ul className="flex flex-col gap-1">
      {calls.map((call) => {
        const about = asked.find(({ call_id }) => call_id === call.call_id)
        const edits = call.arguments === undefined ? undefined : editWords(about?.arguments, call.arguments)
        return (
          <li key={call.call_id} className="wrap-anywhere">
            <span className="font-mono text-sm">{visibleText(about?.tool ?? call.call_id)}</span>:{' '}
            {verbOfCall(call).toLowerCase()}
            {edits && `, ${edits}`}
            {call.deny !== undefined && `: ${visibleText(call.deny)}`}
            {call.result !== undefined && <ArgumentsTable label="Result that was given" value={call.result} />}
          </li>
        )
      })}
    </ul>
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

interface AnswerRecordProps {
  readonly signal: RunSignal
  /** Answers to the same question that were counted before. */
  readonly earlier?: readonly RunSignal[]
}

export function AnswerRecord({ signal, earlier = [] }: AnswerRecordProps) {
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
      {earlier.map((one) => (
        <AnswerWords key={`${one.key_id} ${one.at}`} signal={one} />
      ))}
      <AnswerWords signal={signal} />
    </div>
  )
}
