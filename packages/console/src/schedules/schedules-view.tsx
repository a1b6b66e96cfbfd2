// The schedules of the customer: when each fires next, and the last run that it created.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { collect } from '../parts/collect.ts'
import { linkButton } from '../parts/controls/link-button.ts'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { SchedulesTable } from './schedules-table.tsx'

export function SchedulesView() {
  const { can } = useSession()
  if (can('runs:read')) return <Schedules />
  return (
    <Page title="Schedules">
      <MissingScope scope="runs:read" allows="see schedules" />
    </Page>
  )
}

function Schedules() {
  const { client, can } = useSession()
  const schedules = useQuery({
    queryKey: ['schedules', 'list'],
    queryFn: ({ signal }) => collect(client.schedules.all({ signal })),
    // A tick changes the next and the last run.
    refetchInterval: 15_000,
  })
  const create = can('runs:write') && (
    <Link to="/schedules/create" className={linkButton('primary')}>
      Create a schedule
    </Link>
  )
  return (
    <Page title="Schedules" actions={create}>
      {schedules.error && <Problem error={schedules.error} onRetry={() => void schedules.refetch()} />}
      {schedules.isPending && <Loading what="schedules" />}
      {schedules.data?.length === 0 && (
        <EmptyState title="There are no schedules.">
          <p className="max-w-prose text-muted">
            A schedule creates a run at set times, such as each morning or on the first of each month.
          </p>
        </EmptyState>
      )}
      {schedules.data && schedules.data.length > 0 && <SchedulesTable schedules={schedules.data} />}
    </Page>
  )
}
