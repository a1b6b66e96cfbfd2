// Opens live lists of the service.
import type { ListRunsQuery, Runwright } from '@runwright/client'
import { LiveRuns, type RunPage } from './live-runs.ts'
import { whileVisible } from './while-visible.ts'

export const liveRuns = (client: Runwright, query: ListRunsQuery, { isReadWhenHidden = false } = {}): LiveRuns => {
  const read = (signal: AbortSignal): Promise<RunPage> => client.runs.list(query, { signal })
  const watch = async function* (signal: AbortSignal) {
    for (;;) {
      yield await read(signal)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
  return new LiveRuns((signal) => whileVisible({ watch, read: isReadWhenHidden ? read : undefined }, signal))
}
