// The result of a run that has succeeded. A long one is folded.
import type { RunDetail } from '@runwright/contract'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { ClampedText } from '../parts/values/clamped.tsx'
import { Markdown } from '../parts/values/markdown.tsx'
import { ValueActions } from '../parts/values/value-actions.tsx'

/** `{ content, output }` after the run has succeeded. */
const resultOf = (value: unknown): { content: unknown; output: unknown } =>
  typeof value === 'object' && value !== null && 'content' in value && 'output' in value
    ? { content: value.content, output: value.output }
    : { content: null, output: value }

export function RunResult({ run: { id, event_payload } }: { readonly run: RunDetail }) {
  if (event_payload.value === null) return <EmptyState title="The run has no result so far." />
  const { content, output } = resultOf(event_payload.value)
  return (
    <Panel
      title="Result"
      aside={
        <span className="flex items-center gap-3 text-sm text-muted">
          {event_payload.redacted && 'parts are masked'}
          <ValueActions label="the result" fileName={`${id}-result.json`} value={event_payload.value} />
        </span>
      }
    >
      <div className="flex flex-col gap-3">
        {typeof content === 'string' && content !== '' && (
          <ClampedText text={content} most={12_000} fileName={`${id}.md`}>
            {(shown) => <Markdown text={shown} />}
          </ClampedText>
        )}
        {output !== null && output !== undefined && <ArgumentsTable label="Output" value={output} />}
      </div>
    </Panel>
  )
}
