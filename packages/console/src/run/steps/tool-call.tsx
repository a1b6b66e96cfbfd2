// A call of a tool: what it was given, what came back, and how long it took.
import { type ToolSummary, visibleText } from '@runwright/contract'
import { Icon } from '../../parts/controls/icon.tsx'
import { Duration, Elapsed } from '../../parts/values/duration.tsx'
import { readable } from '../../parts/values/readable.ts'
import type { StoryCall } from '../story/story.ts'
import { reasonWords } from './reason-words.ts'

const tones: Readonly<Record<StoryCall['state'], string>> = {
  running: 'text-info',
  unknown: 'text-warn',
  succeeded: 'text-good',
  failed: 'text-bad',
  timeout: 'text-bad',
  policy_denied: 'text-bad',
}

export function ToolCallItem({ call }: { readonly call: StoryCall }) {
  const { policyReason } = call
  return (
    <li className="rounded-md border border-line">
      <details className="group">
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm">
          <Icon name="tool" className="text-muted" />
          <span className="font-mono font-medium">{call.name}</span>
          <span className="min-w-0 flex-1 truncate text-muted group-open:invisible">{shortInput(call.input)}</span>
          <span className={`font-medium ${tones[call.state]}`}>{stateWords(call.state)}</span>
          <CallTime call={call} />
        </summary>
        <div className="grid gap-3 border-t border-line px-3 py-2.5 md:grid-cols-2">
          <SummaryTable title="Arguments" summary={call.input} />
          <SummaryTable title="Result" summary={call.output} />
        </div>
      </details>
      {policyReason !== null && <p className="px-3 pb-2 text-sm text-bad">{reasonWords(policyReason)}</p>}
    </li>
  )
}

const stateWords = (state: StoryCall['state']): string => (state === 'unknown' ? 'outcome not known' : readable(state))

function CallTime({ call: { state, startedAt, durationMs } }: { readonly call: StoryCall }) {
  if (durationMs === undefined && state !== 'running') return null
  return (
    <span className="text-muted">
      {durationMs === undefined ? <Elapsed since={startedAt} /> : <Duration ms={durationMs} />}
    </span>
  )
}

const shortInput = (summary: ToolSummary | undefined): string =>
  visibleText(summary?.highlights.map(({ key, value }) => `${key}: ${value}`).join(', ') || (summary?.preview ?? ''))

interface SummaryTableProps {
  readonly title: string
  readonly summary: ToolSummary | undefined
}

/** Events have only a summary of what was passed. The turns have all of it. */
function SummaryTable({ title, summary }: SummaryTableProps) {
  if (!summary) return null
  const { highlights, preview, truncated, stats } = summary
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h4 className="text-xs font-medium text-muted">{title}</h4>
      {highlights.length > 0 ? (
        <table className="w-full text-sm">
          <tbody className="divide-y divide-line">
            {highlights.map(({ key, value, redacted }) => (
              <tr key={key} className="align-top">
                <th scope="row" className="w-px py-1 pr-3 text-left font-mono text-code font-medium text-muted">
                  {visibleText(key)}
                </th>
                <td className={`py-1 wrap-anywhere ${redacted ? 'text-muted italic' : ''}`}>{visibleText(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className="text-sm whitespace-pre-wrap wrap-anywhere">
          {preview === null ? <span className="text-muted">nothing</span> : visibleText(preview)}
        </p>
      )}
      {(truncated || stats.fields_redacted > 0) && (
        <p className="text-xs text-muted">
          {[truncated && 'shortened', stats.fields_redacted > 0 && `${stats.fields_redacted} masked`]
            .filter(Boolean)
            .join(', ')}
        </p>
      )}
    </div>
  )
}
