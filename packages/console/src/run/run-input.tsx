// What the run was given, with tagged values masked.
import type { RunInput } from '@runwright/contract'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { useInput } from './use-run.ts'

/** A long input starts closed, so that the steps are in view. */
const openUpTo = 500

export function RunInputPanel({ runId }: { readonly runId: string }) {
  const { data: sent, isPending } = useInput(runId)
  if (isPending) return <InputPlaceholder />
  if (!sent) return null
  const text = JSON.stringify(sent.input, undefined, 2)
  return (
    <details open={text.length <= openUpTo} className="group rounded-lg border border-line bg-surface">
      <summary className="flex items-center gap-2 px-4 py-2.5 text-sm font-semibold">
        <span aria-hidden="true" className="text-muted group-open:rotate-90">
          ▸
        </span>
        Input
        <span className="truncate font-normal text-muted group-open:hidden">{preview(sent.input)}</span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line px-4 py-3">
        <ArgumentsTable label="Input" value={sent.input} />
        <Further sent={sent} />
        <span>
          <CopyButton label="Copy the input as JSON" isTextShown text={text} />
        </span>
      </div>
    </details>
  )
}

/** As high as the closed panel, so that the page below does not move when the input arrives. */
function InputPlaceholder() {
  return (
    <p aria-busy="true" className="rounded-lg border border-line bg-surface px-4 py-2.5 text-sm text-muted">
      Loading the input…
    </p>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const preview = (input: unknown): string => {
  const parts = typeof input === 'object' && input !== null ? Object.entries(input) : []
  const text = parts.length > 0 ? parts.map(([name, value]) => `${name}: ${textOf(value)}`).join(', ') : textOf(input)
  return text.slice(0, 200)
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
