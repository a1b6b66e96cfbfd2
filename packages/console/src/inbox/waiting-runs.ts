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

export interface WaitingRun extends ListedRun {
  readonly awaiting_input: AwaitingInput
}

/** The same run may wait several times. */
export const waitKey = ({ id, awaiting_input: { seq } }: WaitingRun): string => keyOfWait({ runId: id, awaitSeq: seq })

const include: RunListInclude[] = ['awaiting_input', 'title']
const query = { awaiting_input: true, include, limit: 200 }
/** Beyond the live page. */
const mostPages = 9
export const mostWaiting = (mostPages + 1) * query.limit
const noOthers: RunPage = { runs: [], next_cursor: null }
const refreshOlderEveryMs = 15_000

const isWaiting = (run: ListedRun): run is WaitingRun => run.awaiting_input !== null && run.awaiting_input !== undefined

/** The run that has waited longest is the first. */
export const oldestFirst = (runs: readonly ListedRun[]): readonly WaitingRun[] =>
  runs.filter(isWaiting).toSorted((a, b) => Date.parse(a.awaiting_input.since) - Date.parse(b.awaiting_input.since))

type Lists = { readonly runs: Pick<Runwright['runs'], 'list'> }

/** The pages from this cursor on, up to the limit. */
export const readWaiting = async (
  client: Lists,
  cursor: string | null,
  { signal, pages = mostPages }: { readonly signal?: AbortSignal; readonly pages?: number } = {},
): Promise<RunPage> => {
  const { runs, next_cursor } = await client.runs.list(
    { ...query, ...(cursor !== null && { cursor }) },
    signal ? { signal } : {},
  )
  if (next_cursor === null || pages === 1) return { runs, next_cursor }
  const rest = await readWaiting(client, next_cursor, { ...(signal && { signal }), pages: pages - 1 })
  return { runs: [...runs, ...rest.runs], next_cursor: rest.next_cursor }
}

const useOlder = (cursor: string | null) => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['older-waits', cursor],
    queryFn: ({ signal }) => readWaiting(client, cursor, { signal }),
    enabled: cursor !== null,
    refetchInterval: refreshOlderEveryMs,
    // A new run changes the cursor: what was loaded stays until it is loaded again.
    placeholderData: keepPreviousData,
  })
}

export const useWaitingRuns = () => {
  const { client } = useSession()
  const live = useMemo(() => liveRuns(client, query), [client])
  const { page, error, isReconnecting } = useLiveList(live)
  const cursor = page?.next_cursor ?? null
  const older = useOlder(cursor)
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
