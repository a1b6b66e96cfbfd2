// The list of runs, newest first, one page at a time.
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Button } from '../parts/button.tsx'
import { Loading, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useSession } from '../session/session.ts'
import type { RunFilter } from './run-filter.ts'
import { RunsFilter } from './runs-filter.tsx'
import { RunsTable } from './runs-table.tsx'

const refreshEveryMs = 5_000

const useRuns = ({ awaiting_input, ...filter }: RunFilter) => {
  const { client } = useSession()
  const query = { ...filter, ...(awaiting_input && { awaiting_input: true }) }
  return useInfiniteQuery({
    queryKey: ['runs', query],
    queryFn: ({ pageParam, signal }) => client.runs.list({ ...query, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    // Not if several pages are loaded: a refresh would load all of them again.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshEveryMs : false),
  })
}

const route = getRouteApi('/runs')

export function RunsView() {
  const filter = route.useSearch()
  const runs = useRuns(filter)
  const listed = runs.data?.pages.flatMap((page) => page.runs)
  return (
    <Page
      title="Runs"
      actions={
        <Button onClick={() => void runs.refetch()} disabled={runs.isFetching && !listed}>
          Refresh
        </Button>
      }
    >
      <RunsFilter key={filter.workspace_id ?? ''} filter={filter} />
      {runs.error && <Problem error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.isPending && <Loading what="runs" />}
      {listed?.length === 0 && <NoRuns filter={filter} />}
      {listed && listed.length > 0 && <RunsTable runs={listed} />}
      {runs.hasNextPage && (
        <Button className="self-center" disabled={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
          {runs.isFetchingNextPage ? 'Loading more…' : 'Load more'}
        </Button>
      )}
    </Page>
  )
}

const linkClass = 'font-medium text-accent underline'

function NoRuns({ filter }: { readonly filter: RunFilter }) {
  const isFiltered = Object.keys(filter).length > 0
  return (
    <div className="rounded-lg border border-dashed border-edge/60 px-4 py-10 text-center">
      {isFiltered ? (
        <p>
          No run matches.{' '}
          <Link to="/runs" className={linkClass}>
            Show all runs
          </Link>
        </p>
      ) : (
        <p>
          No runs yet.{' '}
          <Link to="/create" className={linkClass}>
            Create the first
          </Link>
        </p>
      )}
    </div>
  )
}
