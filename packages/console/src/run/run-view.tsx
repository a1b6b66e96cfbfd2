// The view of a run: its details, the form for a waiting run, the commands, and the live events.
import { isTerminalStatus, type RunDetail, type RunInclude } from '@runwright/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Loading, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { AwaitingMark, StatusMark } from '../parts/status-mark.tsx'
import { isRefusedKey } from '../session/query-client.ts'
import { useSession } from '../session/session.ts'
import { EventLog } from './event-log.tsx'
import { RunCommands } from './run-commands.tsx'
import { type FollowedRun, RunFollower } from './run-follower.ts'
import { FailurePanel, PlanPanel, ResultPanel, RunPanel } from './run-panels.tsx'
import { RunWait } from './run-wait.tsx'

const refreshEveryMs = 10_000

/** What the view shows. */
const shownParts: readonly RunInclude[] = ['awaiting_input', 'plan', 'limits', 'usage', 'failure']

/** Events trigger a refresh; the interval is a fallback for when the stream is unavailable. */
const useRun = (id: string) => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => client.runs.get(id, { include: shownParts, signal }),
    refetchInterval: ({ state }) => (state.data && !isTerminalStatus(state.data.status) ? refreshEveryMs : false),
  })
}

const useFollower = (id: string) => {
  const { client, signOut } = useSession()
  const [follower] = useState(() => new RunFollower((cursor, signal) => client.events.stream(id, { cursor, signal })))
  const followed = useSyncExternalStore(follower.subscribe, follower.snapshot)
  useEffect(() => {
    follower.start()
    return follower.stop
  }, [follower])
  const { connection } = followed
  useEffect(() => {
    if (connection.is === 'broken' && isRefusedKey(connection.error)) {
      signOut(`You were signed out. ${connection.error.message}`)
    }
  }, [connection, signOut])
  return { follower, followed }
}

/** Any event other than progress may have changed the run. */
const useRefreshOnEvents = (id: string, { events }: FollowedRun) => {
  const queries = useQueryClient()
  const newsSeq = events.findLast(({ type }) => type !== 'step.progress')?.seq
  useEffect(() => {
    if (newsSeq !== undefined) void queries.invalidateQueries({ queryKey: ['run', id] })
  }, [queries, id, newsSeq])
}

/** A run that had ended and runs again was retried, here or by another client. */
const useFollowAgain = (run: RunDetail | undefined, follower: RunFollower, { connection }: FollowedRun) => {
  const goesOn = run !== undefined && !isTerminalStatus(run.status)
  useEffect(() => {
    if (goesOn && connection.is === 'ended') follower.start()
  }, [goesOn, connection, follower])
}

const route = getRouteApi('/runs/$runId')

export function RunPage() {
  const { runId } = route.useParams()
  return <RunView key={runId} id={runId} />
}

function RunView({ id }: { readonly id: string }) {
  const { data: run, error, refetch } = useRun(id)
  const { follower, followed } = useFollower(id)
  useRefreshOnEvents(id, followed)
  useFollowAgain(run, follower, followed)
  if (!run) {
    return (
      <Page title="Run">
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the run" />}
        <Link to="/runs" className="text-accent underline">
          All runs
        </Link>
      </Page>
    )
  }
  return (
    <Page
      title={run.id}
      heading={<span className="font-mono text-base">{run.id}</span>}
      beside={<Status run={run} />}
      actions={<RunCommands run={run} />}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <RunWait run={run} />
      {run.failure && <FailurePanel failure={run.failure} />}
      <ResultPanel run={run} />
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_22rem] lg:grid-rows-[auto_1fr]">
        <RunPanel run={run} />
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <EventLog followed={followed} onReconnect={follower.start} />
        </div>
        {run.plan && <PlanPanel plan={run.plan} />}
      </div>
    </Page>
  )
}

function Status({ run }: { readonly run: RunDetail }) {
  return (
    <span role="status" className="flex gap-1.5">
      <StatusMark status={run.status} />
      {run.awaiting_input && <AwaitingMark />}
    </span>
  )
}
