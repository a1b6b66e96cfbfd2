// The table of runs. On a narrow screen, the other columns move below the title.
import type { ListedRun } from '@runwright/client'
import { numberCell, RunRow, wideCell } from './run-row.tsx'
import type { Selection } from './selection.ts'
import type { RowList } from './use-current-row.ts'

const columns = [
  ['Status', wideCell],
  ['Duration', numberCell],
  ['Tokens', numberCell],
  ['Workspace', wideCell],
  ['Subject', wideCell],
  ['Created', numberCell],
] as const

interface RunsTableProps {
  readonly runs: readonly ListedRun[]
  /** Left out for a key that may change nothing. */
  readonly selection: Selection | undefined
  readonly list: RowList<HTMLTableElement>
}

export function RunsTable({ runs, selection, list }: RunsTableProps) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <table {...list} className="w-full text-left">
        <caption className="sr-only">Runs, newest first</caption>
        <thead className="border-b border-line text-sm text-muted max-lg:sr-only">
          <tr>
            {selection && (
              <td className="w-px py-2 pl-3 max-lg:invisible">
                <SelectAll selection={selection} />
              </td>
            )}
            <th scope="col" className="px-3 py-2 font-medium">
              Run
            </th>
            {columns.map(([name, look]) => (
              <th key={name} scope="col" className={`${look} font-medium`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} isSelected={selection?.has(run.id) ?? false} onToggle={selection?.toggle} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SelectAll({ selection }: { readonly selection: Selection }) {
  return (
    <input
      type="checkbox"
      aria-label="Select all runs"
      className="size-4 translate-y-0.5 accent-accent"
      checked={selection.isAll}
      ref={(box) => {
        if (box) box.indeterminate = !selection.isAll && selection.runs.length > 0
      }}
      onChange={selection.toggleAll}
    />
  )
}
