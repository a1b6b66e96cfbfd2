// One run of the list. The link of its title covers the whole row, so that every click works as on a link: with Ctrl,
// with the middle button, and with the menu of the browser. The checkbox lies above it.
import type { ListedRun } from '@runwright/client'
import { visibleText } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { Age } from '../parts/values/duration.tsx'
import { Labels } from '../parts/values/labels.tsx'
import { readable, readableNumber } from '../parts/values/readable.ts'
import { RunDuration } from '../parts/values/run-duration.tsx'
import { AwaitingMark, StatusMark } from '../parts/values/status-mark.tsx'
import { RunName, runName } from './run-name.tsx'

export const wideCell = 'hidden px-3 py-2.5 lg:table-cell'
export const numberCell = `${wideCell} text-right tabular-nums whitespace-nowrap`

interface RunRowProps {
  readonly run: ListedRun
  readonly isSelected: boolean
  /** Left out for a key that may change nothing. */
  readonly onToggle: ((id: string) => void) | undefined
}

// Memoized: a change of one run must not render all others.
export const RunRow = memo(function RunRow({ run, isSelected, onToggle }: RunRowProps) {
  return (
    <tr
      data-row={run.id}
      className="relative align-baseline hover:bg-sunken/60 has-[[data-row-link]:focus-visible]:bg-accent/8 has-checked:bg-accent/10"
    >
      {onToggle && (
        <td className="relative z-1 w-px py-2.5 pl-3">
          <Checkbox run={run} isSelected={isSelected} onToggle={onToggle} />
        </td>
      )}
      <td className="px-3 py-2.5">
        <TitleLink run={run} />
        <Origin run={run} />
        <Below run={run} />
      </td>
      <td className={wideCell}>
        <RunState run={run} />
      </td>
      <td className={numberCell}>
        <RunDuration run={run} />
      </td>
      <td className={numberCell}>{run.usage ? readableNumber(run.usage.tokens) : ''}</td>
      <td className={`${wideCell} max-w-36 wrap-anywhere`}>{visibleText(run.workspace_id ?? '')}</td>
      <td className={`${wideCell} max-w-36 wrap-anywhere`}>{visibleText(run.subject_id ?? '')}</td>
      <td className={numberCell}>
        <Age at={run.metadata.created_at} />
      </td>
    </tr>
  )
})

interface CheckboxProps {
  readonly run: ListedRun
  readonly isSelected: boolean
  readonly onToggle: (id: string) => void
}

function Checkbox({ run, isSelected, onToggle }: CheckboxProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${runName(run)}`}
      className="size-4 translate-y-0.5 accent-accent"
      checked={isSelected}
      onChange={() => onToggle(run.id)}
    />
  )
}

function TitleLink({ run }: { readonly run: ListedRun }) {
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.id }}
      data-row-link=""
      className="font-medium wrap-anywhere outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      <RunName run={run} />
    </Link>
  )
}

/** What tells runs of the same title apart: the end of the id, the agent, the class. */
function Origin({ run }: { readonly run: ListedRun }) {
  const agent = run.agent?.name
  return (
    <span className="block text-sm text-muted">
      {run.title && <span className="font-mono text-xs">{run.id}</span>}
      {[agent, run.run_class !== 'default' && `class ${run.run_class}`].filter(Boolean).map((word) => ` · ${word}`)}
    </span>
  )
}

function RunState({ run }: { readonly run: ListedRun }) {
  if (run.awaiting_input) return <AwaitingMark />
  return (
    <span className="flex flex-col items-start gap-0.5">
      <StatusMark status={run.status} />
      {run.failure && (
        <span className="text-xs text-muted wrap-anywhere">{visibleText(readable(run.failure.reason_code))}</span>
      )}
    </span>
  )
}

/** The other columns on a narrow screen. */
function Below({ run }: { readonly run: ListedRun }) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-muted lg:hidden">
      <RunState run={run} />
      <RunDuration run={run} />
      <Age at={run.metadata.created_at} />
      <Labels of={run} />
    </div>
  )
}
