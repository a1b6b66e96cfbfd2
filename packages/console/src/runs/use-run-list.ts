// The list of runs for a filter: a live page, and older pages on request, as they were when they were loaded.
import type { ListedRun, RunListInclude } from '@runwright/client'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useSession } from '../session/session.ts'
import type { RunPage } from './live-runs.ts'
import { joinRuns, pushedOff } from './older-runs.ts'
import { queryOf, type RunFilter } from './run-filter.ts'
import { useLiveList } from './use-live-list.ts'
import { liveRuns } from './watch-runs.ts'

const shownParts: RunListInclude[] = ['title', 'agent', 'awaiting_input', 'failure', 'usage']
const pageSize = 50

interface OlderRuns {
  readonly runs: readonly ListedRun[]
  readonly nextCursor: string | null
  /** When they were loaded. */
  readonly at: string
}

/**
 * Runs that newer ones push off the live page are added to the older ones, so that no gap opens between them. Not in an
 * effect: for a moment they would be in neither, and their rows would lose the focus and the selection.
 */
const useOlderRuns = (page: RunPage | undefined) => {
  const [older, setOlder] = useState<OlderRuns>()
  const [before, setBefore] = useState(page)
  if (page !== before) {
    setBefore(page)
    const pushed = before && page ? pushedOff(before, page) : []
    if (pushed.length > 0) setOlder((was) => was && { ...was, runs: joinRuns(pushed, was.runs) })
  }
  return [older, setOlder] as const
}

/** For one filter: another one needs another component. */
export const useRunList = (filter: RunFilter) => {
  const { client } = useSession()
  const [query] = useState(() => ({ ...queryOf(filter, Date.now()), limit: pageSize, include: shownParts }))
  const live = useMemo(() => liveRuns(client, query), [client, query])
  const { page, error, isReconnecting } = useLiveList(live)
  const [older, setOlder] = useOlderRuns(page)
  const cursor = older ? older.nextCursor : (page?.next_cursor ?? null)
  const load = useMutation({
    mutationFn: (from: string) => client.runs.list({ ...query, cursor: from }),
    // From now on, not from the answer on: what is pushed off in between would be in neither.
    onMutate: (from) => setOlder((was) => was ?? { runs: [], nextCursor: from, at: new Date().toISOString() }),
    onSuccess: ({ runs, next_cursor }) =>
      setOlder((was) => was && { ...was, runs: joinRuns(was.runs, runs), nextCursor: next_cursor }),
  })
  return {
    runs: page && joinRuns(page.runs, older?.runs ?? []),
    isReconnecting,
    error: error ?? load.error,
    retry: error ? live.start : undefined,
    /** Since when the older runs may have changed. */
    olderSince: older?.at,
    forgetOlder: () => setOlder(undefined),
    loadOlder: cursor === null ? undefined : () => load.mutate(cursor),
    isLoadingOlder: load.isPending,
  }
}
