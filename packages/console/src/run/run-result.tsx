// The result of a run that has succeeded.
import type { RunDetail } from '@runwright/contract'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { Markdown } from '../parts/values/markdown.tsx'

/** `{ content, output }` after the run has succeeded. */
const resultOf = (value: unknown): { content: unknown; output: unknown } =>
  typeof value === 'object' && value !== null && 'content' in value && 'output' in value
    ? { content: value.content, output: value.output }
    : { content: null, output: value }

export function RunResult({ run: { event_payload } }: { readonly run: RunDetail }) {
  if (event_payload.value === null) return null
  const { content, output } = resultOf(event_payload.value)
  return (
    <Panel
      title="Result"
      aside={
        <span className="flex items-center gap-3 text-sm text-muted">
          {event_payload.redacted && 'parts are masked'}
          <CopyButton label="Copy the result as JSON" text={JSON.stringify(event_payload.value, undefined, 2)} />
        </span>
      }
    >
      <div className="flex flex-col gap-3">
        {typeof content === 'string' && content !== '' && <Markdown text={content} />}
        {output !== null && output !== undefined && <ArgumentsTable label="Output" value={output} />}
      </div>
    </Panel>
  )
}
