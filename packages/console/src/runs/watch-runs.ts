// Opens live lists of the service.
import type { Runwright, WatchRunsQuery } from '@runwright/client'
import { LiveRuns } from './live-runs.ts'
import { whileVisible } from './while-visible.ts'

interface LiveOptions {
  /** Whether a hidden tab asks too, now and then. */
  readonly isReadWhenHidden?: boolean
}

export const liveRuns = (
  client: Runwright,
  query: WatchRunsQuery,
  { isReadWhenHidden = false }: LiveOptions = {},
): LiveRuns => {
  const read = isReadWhenHidden ? (signal: AbortSignal) => client.runs.list(query, { signal }) : undefined
  return new LiveRuns(({ signal, onReconnect }) =>
    whileVisible({ watch: (open) => client.runs.watch(query, { signal: open, onReconnect }), read }, signal),
  )
}
