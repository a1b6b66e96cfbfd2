// The steps of both runs, side by side by their ids.
import { type RunStep, visibleText } from '@runwright/contract'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { readable, readableDuration } from '../parts/values/readable.ts'
import type { Pair } from './compared-run.ts'

interface Row {
  readonly id: string
  readonly left: RunStep | undefined
  readonly right: RunStep | undefined
}

const rowsOf = ({ left, right }: Pair): readonly Row[] => {
  const byId = new Map((right.run.steps ?? []).map((step) => [step.id, step]))
  const known = new Set((left.run.steps ?? []).map(({ id }) => id))
  return [
    ...(left.run.steps ?? []).map((step) => ({ id: step.id, left: step, right: byId.get(step.id) })),
    ...(right.run.steps ?? [])
      .filter(({ id }) => !known.has(id))
      .map((step) => ({ id: step.id, left: undefined, right: step })),
  ]
}

const tones: Readonly<Record<string, string>> = { succeeded: 'text-good', failed: 'text-bad', waiting: 'text-warn' }

function Step({ step }: { readonly step: RunStep | undefined }) {
  if (!step) return <span className="text-muted">not in this run</span>
  const { state, attempts, started_at, ended_at, error, content } = step
  const ms = started_at !== null && ended_at !== null ? Date.parse(ended_at) - Date.parse(started_at) : undefined
  return (
    <span className="flex flex-col">
      <span>
        <span className={`font-medium ${tones[state] ?? ''}`}>{readable(state)}</span>
        <span className="text-sm text-muted">
          {ms !== undefined && ` · ${readableDuration(ms)}`}
          {attempts > 1 && ` · ${attempts} attempts`}
        </span>
      </span>
      <span className="line-clamp-3 text-sm text-muted wrap-anywhere">
        {visibleText((error?.message ?? content ?? '').slice(0, 600))}
      </span>
    </span>
  )
}

const columns: readonly [Column<Row>, ...Column<Row>[]] = [
  { name: 'Step', cell: ({ id }) => <span className="font-medium wrap-anywhere">{visibleText(id)}</span> },
  { name: 'Left', cell: ({ left }) => <Step step={left} /> },
  { name: 'Right', cell: ({ right }) => <Step step={right} /> },
]

export function StepsTable({ left, right }: Pair) {
  const rows = rowsOf({ left, right })
  if (rows.length === 0) return null
  return <DataTable caption="Steps of both runs" columns={columns} rows={rows} keyOf={({ id }) => id} />
}
