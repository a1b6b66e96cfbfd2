// The list of runs, newest first, one page at a time.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '../parts/button.tsx'
import { Loading, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { type RunFilter, runsHash, viewHash } from '../route.ts'
import { useSession } from '../session/session.ts'
import { RunsFilter } from './runs-filter.tsx'
import { RunsTable } from './runs-table.tsx'

const refreshEveryMs = 5_000

const useRuns = ({ status, awaitingInput, workspaceId }: RunFilter) => {
  const { client } = useSession()
  const query = { status, awaiting_input: awaitingInput, workspace_id: workspaceId }
  return useInfiniteQuery({
    queryKey: ['runs', query],
    queryFn: ({ pageParam, signal }) => client.runs.list({ ...query, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    // Not if several pages are loaded: a refresh would load all of them again.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshEveryMs : false),
  })
}

export function RunsView({ filter }: { readonly filter: RunFilter }) {
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
      <RunsFilter key={filter.workspaceId ?? ''} filter={filter} />
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
          <a href={runsHash()} className={linkClass}>
            Show all runs
          </a>
        </p>
      ) : (
        <p>
          No runs yet.{' '}
          <a href={viewHash('create')} className={linkClass}>
            Create the first
          </a>
        </p>
      )}
    </div>
  )
}
