// Everything that waits for a person, oldest first: a live page of runs, and the other pages if there are more. The
// service lists the newest runs first, so that the oldest wait is known only when all pages are there.
import type { ListedRun, RunListInclude, Runwright } from '@runwright/client'
import type { AwaitingInput } from '@runwright/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { keyOfWait } from '../answer/decisions/decision-box.ts'
import type { RunPage } from '../runs/live-runs.ts'
import { joinRuns } from '../runs/older-runs.ts'
import { useLiveList } from '../runs/use-live-list.ts'
import { liveRuns } from '../runs/watch-runs.ts'
import { useSession } from '../session/session.ts'
import type { InboxSearch } from './inbox-search.ts'

export interface WaitingRun extends ListedRun {
  readonly awaiting_input: AwaitingInput
}

/** The same run may wait several times. */
export const waitKey = ({ id, awaiting_input: { seq } }: WaitingRun): string => keyOfWait({ runId: id, awaitSeq: seq })

/** What the URL of the inbox says of it. */
export const searchOf = ({ id, awaiting_input: { seq } }: WaitingRun): InboxSearch => ({ run: id, seq })

const include: RunListInclude[] = ['awaiting_input', 'title']
const queryOf = (assigned: Assigned) => ({
  awaiting_input: true as const,
  include,
  limit: pageSize,
  ...(assigned && { assigned }),
})
/** `me`: only what the signed-in person may decide, and has not decided yet. */
export type Assigned = 'me' | undefined
const pageSize = 200
/** Beyond the live page. */
const mostPages = 9
export const mostWaiting = (mostPages + 1) * pageSize
const noOthers: RunPage = { runs: [], next_cursor: null }
const refreshOlderEveryMs = 15_000

const isWaiting = (run: ListedRun): run is WaitingRun => run.awaiting_input !== null && run.awaiting_input !== undefined

/** The run that has waited longest is the first. */
export const oldestFirst = (runs: readonly ListedRun[]): readonly WaitingRun[] =>
  runs.filter(isWaiting).toSorted((a, b) => Date.parse(a.awaiting_input.since) - Date.parse(b.awaiting_input.since))

type Lists = { readonly runs: Pick<Runwright['runs'], 'list'> }

interface ReadOptions {
  readonly signal?: AbortSignal
  readonly pages?: number
  readonly assigned?: Assigned
}

/** The pages from this cursor on, up to the limit. */
export const readWaiting = async (
  client: Lists,
  cursor: string | null,
  { signal, pages = mostPages, assigned }: ReadOptions = {},
): Promise<RunPage> => {
  const { runs, next_cursor } = await client.runs.list(
    { ...queryOf(assigned), ...(cursor !== null && { cursor }) },
    signal ? { signal } : {},
  )
  if (next_cursor === null || pages === 1) return { runs, next_cursor }
  const rest = await readWaiting(client, next_cursor, { ...(signal && { signal }), pages: pages - 1, assigned })
  return { runs: [...runs, ...rest.runs], next_cursor: rest.next_cursor }
}

const useOlder = (cursor: string | null, assigned: Assigned) => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['older-waits', cursor, assigned],
    queryFn: ({ signal }) => readWaiting(client, cursor, { signal, assigned }),
    enabled: cursor !== null,
    refetchInterval: refreshOlderEveryMs,
    // A new run changes the cursor: what was loaded stays until it is loaded again.
    placeholderData: keepPreviousData,
  })
}

/** For one choice of whose: another one needs another component. */
export const useWaitingRuns = (assigned: Assigned) => {
  const { client } = useSession()
  const live = useMemo(() => liveRuns(client, queryOf(assigned)), [client, assigned])
  const { page, error, isReconnecting } = useLiveList(live)
  const cursor = page?.next_cursor ?? null
  const older = useOlder(cursor, assigned)
  const others = cursor === null ? noOthers : older.data
  const waiting = useMemo(() => page && others && oldestFirst(joinRuns(page.runs, others.runs)), [page, others])
  return {
    /** Undefined until all pages are there. */
    waiting,
    isMore: others?.next_cursor !== null,
    error: error ?? older.error,
    isReconnecting,
    retry: error ? live.start : () => void older.refetch(),
  }
}
