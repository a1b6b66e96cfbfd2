// The turns of a run, page by page: as far as the one that the URL names, and those that come while one looks. A turn
// never changes, so only what is behind the last one is read.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { useSettled } from '../../parts/use-settled.ts'
import { useSession } from '../../session/session.ts'
import { readTurns } from './read-turns.ts'

const pageSize = 20
const largestPage = 200

interface TurnsWanted {
  /** The `seq` of a turn. */
  readonly wanted: number | undefined
  /** Changes when there may be more turns. */
  readonly newsSeq: number
}

const limitOf = (after: number, wanted = 0) => Math.min(largestPage, Math.max(pageSize, wanted - after))

export const useTurns = (runId: string, { wanted, newsSeq }: TurnsWanted) => {
  const { client } = useSession()
  const { data, error, isFetching, refetch, fetchNextPage } = useInfiniteQuery({
    queryKey: ['run-turns', runId],
    queryFn: ({ pageParam: after, signal }) =>
      readTurns(client, runId, { after, limit: limitOf(after, wanted), signal }),
    initialPageParam: 0,
    // Also behind the last page: a run that goes on has more turns later.
    getNextPageParam: ({ next_after }) => next_after,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const last = data?.pages.at(-1)
  const news = useSettled(newsSeq)
  const readAt = useRef<number>(undefined)
  // A page may end early, when it has too many bytes.
  const isBefore = wanted !== undefined && last !== undefined && !last.isLast && last.next_after < wanted
  useEffect(() => {
    if (!last || isFetching || error) return
    const isBehind = last.isLast && news !== readAt.current
    if (last.isLast) readAt.current = news
    if (isBefore || isBehind) void fetchNextPage()
  }, [last, isFetching, error, isBefore, news, fetchNextPage])
  return {
    turns: useMemo(() => data?.pages.flatMap((page) => page.turns) ?? [], [data]),
    error,
    /** There is nothing to show yet, or the wanted turn may still come. */
    isReading: !last || isBefore,
    isWhole: last?.isLast ?? false,
    retry: () => void (last ? fetchNextPage() : refetch()),
    readMore: () => void fetchNextPage(),
  }
}
