// Opens live lists of the service.
import type { Runwright, WatchRunsQuery } from '@runwright/client'
import { LiveRuns } from './live-runs.ts'
import { whileVisible } from './while-visible.ts'

export const liveRuns = (client: Runwright, query: WatchRunsQuery): LiveRuns =>
  new LiveRuns(({ signal, onReconnect }) =>
    whileVisible((open) => client.runs.watch(query, { signal: open, onReconnect }), signal),
  )
