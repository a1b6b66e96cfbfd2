// What the run was given, with tagged values masked.
import type { RunInput } from '@runwright/contract'
import { Panel } from '../parts/layout/panel.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { ValueActions } from '../parts/values/value-actions.tsx'
import { useInput } from './use-run.ts'

export function RunInputPanel({ runId }: { readonly runId: string }) {
  const { data: sent, isPending } = useInput(runId)
  if (isPending) return <InputPlaceholder />
  if (!sent) return null
  return (
    <Panel title="Input" aside={<ValueActions label="the input" fileName={`${runId}-input.json`} value={sent.input} />}>
      <div className="flex flex-col gap-3">
        <ArgumentsTable label="Input" value={sent.input} />
        <Further sent={sent} />
      </div>
    </Panel>
  )
}

function InputPlaceholder() {
  return (
    <p aria-busy="true" className="rounded-lg border border-line bg-surface px-4 py-2.5 text-sm text-muted">
      Loading the input…
    </p>
  )
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

function Further({ sent }: { readonly sent: RunInput }) {
  return (
    <>
      {!isEmpty(sent.metadata) && (
        <div className="flex flex-col gap-1">
          <h3 className="text-sm font-medium text-muted">Metadata</h3>
          <ArgumentsTable label="Metadata" value={sent.metadata} />
        </div>
      )}
      {sent.attachment_refs.length > 0 && (
        <div className="flex flex-col gap-1">
          <h3 className="text-sm font-medium text-muted">Attachments</h3>
          <ArgumentsTable label="Attachments" value={sent.attachment_refs} />
        </div>
      )}
    </>
  )
}
