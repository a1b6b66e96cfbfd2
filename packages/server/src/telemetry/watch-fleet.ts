// Sets the metrics of the whole database. They are read when metrics are, at most once in a few seconds.
import type { Database } from '../store/postgres/database.ts'
import { type FleetCounts, readFleetCounts } from '../store/runs/fleet-counts.ts'
import type { Metrics } from './metrics.ts'

const freshForMs = 5_000

export function watchFleet(metrics: Metrics, database: Database): void {
  const read = freshly(() => readFleetCounts(database))
  metrics.beforeRead(async () => {
    const counts = await read().catch(() => undefined)
    show(metrics.of, counts)
  })
}

/** Without an answer there are no values: old ones would look like a queue that does not move. */
function show(of: Metrics['of'], counts: FleetCounts | undefined): void {
  of.databaseUp.set(counts ? 1 : 0)
  of.queueDepth.reset()
  of.queueAge.reset()
  of.runs.reset()
  of.webhookBacklog.remove()
  of.webhookBacklogAge.remove()
  if (!counts) return
  of.webhookBacklog.set(counts.webhooks.backlog)
  of.webhookBacklogAge.set(counts.webhooks.ageSeconds)
  for (const { runClass, depth, ageSeconds } of counts.queues) {
    of.queueDepth.set({ class: runClass }, depth)
    of.queueAge.set({ class: runClass }, ageSeconds)
  }
  for (const [state, count] of Object.entries(counts.runs)) of.runs.set({ state }, count)
}

/** A failure is not kept. */
function freshly<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined
  let since = 0
  return () => {
    if (last && performance.now() - since < freshForMs) return last
    since = performance.now()
    const reading = read()
    last = reading
    reading.catch(() => {
      if (last === reading) last = undefined
    })
    return reading
  }
}
