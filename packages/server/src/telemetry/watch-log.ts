// Measures the commits of the run log, and the connections of each pool.
import type { Grouping } from '../runtime/batcher.ts'
import type { Database } from '../store/postgres/database.ts'
import type { Metrics } from './metrics.ts'

export function flushObserver(metrics: Metrics | undefined, log: 'creates' | 'changes'): Grouping['onFlush'] {
  if (!metrics) return undefined
  const { flushItems, flushSeconds } = metrics.of
  return (items, ms) => {
    flushItems.observe({ log }, items)
    flushSeconds.observe({ log }, ms / 1000)
  }
}

/** Returns the database. */
export function watchPool(metrics: Metrics | undefined, pool: string, database: Database): Database {
  metrics?.beforeRead(() => {
    const { busy, idle, waiting } = database.connections
    metrics.of.connections.set({ pool, state: 'busy' }, busy)
    metrics.of.connections.set({ pool, state: 'idle' }, idle)
    metrics.of.connectionWaits.set({ pool }, waiting)
  })
  return database
}

/** `log` is what changes and creates are submitted to. */
export function watchLag(metrics: Metrics, name: 'creates' | 'changes', log: { readonly behindMs: number }): void {
  metrics.beforeRead(() => metrics.of.logLag.set({ log: name }, log.behindMs / 1000))
}
