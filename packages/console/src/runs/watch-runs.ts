// Opens live lists of the service.
import type { Runwright, WatchRunsQuery } from '@runwright/client'
import { LiveRuns } from './live-runs.ts'
import { whileVisible } from './while-visible.ts'

/** A hidden tab has no stream that could be silent. */
export const isThere = (client: Runwright) => async (signal: AbortSignal) =>
  document.visibilityState === 'hidden' || client.health.live({ signal })

export const liveRuns = (client: Runwright, query: WatchRunsQuery): LiveRuns =>
  new LiveRuns({
    watch: ({ signal, onReconnect }) =>
      whileVisible((open) => client.runs.watch(query, { signal: open, onReconnect }), signal),
    isThere: isThere(client),
  })
