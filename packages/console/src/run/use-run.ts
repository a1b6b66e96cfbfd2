// The run of the page: its details, kept current by its events, and the events themselves.
import { isTerminalStatus, type RunDetail, type RunEvent, type RunInclude, type Runwright } from '@runwright/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { isThere } from '../runs/watch-runs.ts'
import { whileVisible } from '../runs/while-visible.ts'
import { isRefusedKey } from '../session/query-client.ts'
import { useSession } from '../session/session.ts'
import { type FollowedRun, type OpenOptions, RunFollower } from './run-follower.ts'

const refreshEveryMs = 10_000
/** Events come in groups: one request for all of them. */
const settleMs = 100

/** What the page shows. */
const shownParts: readonly RunInclude[] = [
  'title',
  'awaiting_input',
  'signals',
  'plan',
  'steps',
  'agent',
  'limits',
  'usage',
  'failure',
  'forked_from',
]

/** Events trigger a refresh; the interval is a fallback for when the stream is unavailable. */
const useDetails = (id: string) => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => client.runs.get(id, { include: shownParts, signal }),
    refetchInterval: ({ state }) => (state.data && !isTerminalStatus(state.data.status) ? refreshEveryMs : false),
  })
}

/** Read once: it never changes, and can be long. */
export const useInput = (id: string) => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['run-input', id],
    queryFn: async ({ signal }) => (await client.runs.get(id, { include: ['input'], signal })).input ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The events after the cursor, while the tab is visible. */
async function* eventsOf(
  client: Runwright,
  id: string,
  { cursor, signal, onOpen }: OpenOptions & { readonly cursor: number },
): AsyncGenerator<RunEvent> {
  let last = cursor
  // Without retries of its own: the follower shows that it reconnects.
  const open = (visible: AbortSignal) =>
    client.events.stream(id, { cursor: last, signal: visible, maxRetries: 0, onOpen })
  for await (const event of whileVisible(open, signal)) {
    last = event.seq
    yield event
  }
}

/** Undefined also if the service refuses to tell: that says nothing about the stream. A hidden tab has no stream. */
const findNext = (client: Runwright, id: string) => async (cursor: number, signal: AbortSignal) => {
  if (document.visibilityState === 'hidden') return undefined
  const page = await client.events.poll(id, { cursor, limit: 1, signal }).catch(() => undefined)
  return page?.events[0]?.seq
}

const useFollower = (id: string, refresh: () => Promise<unknown>) => {
  const { client, signOut } = useSession()
  const [follower] = useState(
    () =>
      new RunFollower({
        open: (cursor, options) => eventsOf(client, id, { cursor, ...options }),
        probe: refresh,
        isThere: isThere(client),
        findNext: findNext(client, id),
      }),
  )
  const followed = useSyncExternalStore(follower.subscribe, follower.snapshot)
  useEffect(() => {
    follower.start()
    return follower.stop
  }, [follower])
  const { connection } = followed
  useEffect(() => {
    if (connection.kind === 'broken' && isRefusedKey(connection.error)) {
      signOut(`You were signed out. ${connection.error.message}`)
    }
  }, [connection, signOut])
  return { follower, followed }
}

const useRefreshOnEvents = (id: string, isRead: boolean, { story: { newsSeq } }: FollowedRun) => {
  const queries = useQueryClient()
  useEffect(() => {
    // Not before the first answer: until then a refetch joins the request under way, which may be older than the event.
    if (newsSeq === 0 || !isRead) return
    const timer = setTimeout(() => void queries.invalidateQueries({ queryKey: ['run', id] }), settleMs)
    return () => clearTimeout(timer)
  }, [queries, id, isRead, newsSeq])
}

/** A run that had ended and runs again was retried, here or by another client. */
const useFollowAgain = (run: RunDetail | undefined, follower: RunFollower, { connection }: FollowedRun) => {
  const goesOn = run !== undefined && !isTerminalStatus(run.status)
  useEffect(() => {
    if (goesOn && connection.kind === 'ended') follower.start()
  }, [goesOn, connection, follower])
}

export const useRun = (id: string) => {
  const details = useDetails(id)
  const refresh = async () => {
    const { error } = await details.refetch()
    if (error) throw error
  }
  const { follower, followed } = useFollower(id, refresh)
  useRefreshOnEvents(id, details.isSuccess, followed)
  useFollowAgain(details.data, follower, followed)
  return { run: details.data, error: details.error, refetch: details.refetch, followed, reconnect: follower.start }
}
