// What a run asks: the question, the tool call that it is about, and what the run has read so far.
import { type AwaitingInput, type ReadKind, visibleText } from '@runwright/contract'
import { Icon } from '../parts/controls/icon.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { isAboutOutcome, type QuestionFields, questionText } from './question-text.ts'

const readWords: Readonly<Record<string, string>> = {
  private: 'private data',
  untrusted: 'text from an untrusted source',
  sensitive: 'perhaps a sensitive value that it was not shown',
} satisfies Record<ReadKind, string>

export function Question({ wait }: { readonly wait: AwaitingInput }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-lg leading-snug font-medium whitespace-pre-wrap wrap-anywhere">{questionText(wait)}</p>
      <ToolCall asked={wait} />
      <p className="text-sm text-muted">
        Asked <Instant at={wait.since} /> · expires <Instant at={wait.expires_at} /> ·{' '}
        <span className="font-mono text-xs wrap-anywhere">{visibleText(wait.reason_code)}</span>
      </p>
    </div>
  )
}

export function ToolCall({ asked }: { readonly asked: QuestionFields & Pick<AwaitingInput, 'approvals'> }) {
  if (asked.tool === null) return null
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-2">
        <Icon name="tool" className="text-muted" />
        <span>
          {asked.approvals > 1 ? `After ${asked.approvals} approvals` : 'If you approve'}, the run calls{' '}
          <span className="font-mono text-sm font-semibold">{visibleText(asked.tool)}</span>
          {isAboutOutcome(asked.reason_code) && ' once more'}
          {asked.arguments_hash === null ? '.' : ' with exactly these arguments:'}
        </span>
      </p>
      {asked.arguments !== null && asked.arguments !== undefined && (
        <ArgumentsTable label={`Arguments of ${visibleText(asked.tool)}`} value={asked.arguments} />
      )}
      {asked.why !== null && <p className="text-sm">Why it asks: {visibleText(asked.why)}</p>}
      <HasRead kinds={asked.has_read} />
      {asked.tool_call_id !== null && (
        <p className="text-sm text-muted">
          Call <span className="font-mono text-xs wrap-anywhere">{asked.tool_call_id}</span> · idempotency key{' '}
          <span className="font-mono text-xs wrap-anywhere">{asked.idempotency_key}</span>
        </p>
      )}
    </div>
  )
}

export function HasRead({ kinds }: { readonly kinds: AwaitingInput['has_read'] }) {
  if (kinds === null) return null
  if (kinds.length === 0)
    return <p className="text-sm text-muted">So far, the run has read nothing private or untrusted.</p>
  return (
    <p className="flex items-start gap-2 text-sm text-warn">
      <Icon name="warning" className="mt-0.5" /> So far, the run has read{' '}
      {kinds.map((kind) => readWords[kind] ?? kind).join(' and ')}.
    </p>
  )
}
