// How many runs there are of each status. Read every few seconds: also runs that are not on the page are counted.
import type { RunCounts } from '@runwright/client'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'
import { queryOf, type RunFilter } from './run-filter.ts'

const refreshEveryMs = 5_000

/** Undefined for filters by which the service does not count. */
export const useRunCounts = (filter: RunFilter): RunCounts | undefined => {
  const { client } = useSession()
  const { q, agent, error, status: _status, awaiting_input: _waiting, ...counted } = filter
  const { data } = useQuery({
    queryKey: ['run-counts', counted],
    queryFn: ({ signal }) => {
      const { status: _none, ...query } = queryOf(counted, Date.now())
      return client.runs.count(query, { signal })
    },
    refetchInterval: refreshEveryMs,
    enabled: q === undefined && agent === undefined && error === undefined,
  })
  return q === undefined && agent === undefined && error === undefined ? data : undefined
}
