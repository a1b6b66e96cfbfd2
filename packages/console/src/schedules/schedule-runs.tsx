// The newest runs that a schedule has created.
import type { ListedRun } from '@runwright/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Problem } from '../parts/errors/problem.tsx'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { readableNumber } from '../parts/values/readable.ts'
import { RunDuration } from '../parts/values/run-duration.tsx'
import { AwaitingMark, StatusMark } from '../parts/values/status-mark.tsx'
import { RunName } from '../runs/run-name.tsx'
import { useSession } from '../session/session.ts'

const shownRuns = 20

const columns: readonly [Column<ListedRun>, ...Column<ListedRun>[]] = [
  {
    name: 'Run',
    cell: (run) => (
      <Link to="/runs/$runId" params={{ runId: run.id }} className="text-accent underline wrap-anywhere">
        <RunName run={run} />
      </Link>
    ),
  },
  {
    name: 'Status',
    cell: ({ awaiting_input, status }) => (awaiting_input ? <AwaitingMark /> : <StatusMark status={status} />),
  },
  { name: 'Created', from: 'sm', cell: ({ metadata }) => <Instant at={metadata.created_at} /> },
  {
    name: 'Duration',
    from: 'md',
    isNumeric: true,
    cell: (run) => <RunDuration run={run} />,
  },
  { name: 'Tokens', from: 'lg', isNumeric: true, cell: ({ usage }) => (usage ? readableNumber(usage.tokens) : '') },
]

export function ScheduleRuns({ id }: { readonly id: string }) {
  const { client } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['runs', 'of-schedule', id],
    queryFn: ({ signal }) =>
      client.runs.list(
        { schedule_id: id, limit: shownRuns, include: ['title', 'usage', 'awaiting_input'] },
        { signal },
      ),
    refetchInterval: 5_000,
  })
  const all = (
    <Link to="/runs" search={{ schedule_id: id }} className="text-sm text-accent underline">
      All its runs
    </Link>
  )
  return (
    <Panel title="Runs" aside={all}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading what="runs" />}
      {data?.runs.length === 0 && <p className="text-muted">It has not created a run yet.</p>}
      {data && data.runs.length > 0 && (
        <DataTable caption="Runs of the schedule" columns={columns} rows={data.runs} keyOf={(run) => run.id} />
      )}
    </Panel>
  )
}
