// The table of runs; on a narrow screen, the other columns move below the id.
import type { ListedRun } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { Instant } from '../parts/instant.tsx'
import { StatusMark } from '../parts/status-mark.tsx'

const wide = 'hidden px-3 py-2.5 lg:table-cell'
const wideColumns = ['Status', 'Class', 'Workspace', 'Subject', 'Created'] as const

export function RunsTable({ runs }: { readonly runs: readonly ListedRun[] }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <table className="w-full text-left">
        <caption className="sr-only">Runs, newest first</caption>
        <thead className="border-b border-line text-sm text-muted max-lg:sr-only">
          <tr>
            <th scope="col" className="px-4 py-2 font-medium">
              Run
            </th>
            {wideColumns.map((name) => (
              <th key={name} scope="col" className={`${wide} font-medium`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {runs.map((run) => (
            <Row key={run.id} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ run }: { readonly run: ListedRun }) {
  return (
    <tr className="align-baseline hover:bg-sunken/60">
      <td className="px-4 py-2.5">
        <Link to="/runs/$runId" params={{ runId: run.id }} className="font-mono text-[0.8125rem] hover:underline">
          {run.id}
        </Link>
        <Below run={run} />
      </td>
      <td className={wide}>
        <StatusMark status={run.status} />
      </td>
      <td className={wide}>{run.run_class}</td>
      <td className={`${wide} wrap-anywhere`}>{run.workspace_id}</td>
      <td className={`${wide} wrap-anywhere`}>{run.subject_id}</td>
      <td className={`${wide} whitespace-nowrap`}>
        <Instant at={run.metadata.created_at} />
      </td>
    </tr>
  )
}

/** The content of the other columns on a narrow screen. */
function Below({ run }: { readonly run: ListedRun }) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-muted lg:hidden">
      <StatusMark status={run.status} />
      <Instant at={run.metadata.created_at} />
      <span>{run.run_class}</span>
      {run.workspace_id !== null && <span className="wrap-anywhere">workspace {run.workspace_id}</span>}
      {run.subject_id !== null && <span className="wrap-anywhere">subject {run.subject_id}</span>}
    </div>
  )
}
