// Who follows which run in this process. The log hands over the events it committed; other processes only send
// wake-ups.

import type { StoredEvent } from '../store/run-log/run-change.ts'
import type { Committed } from '../store/run-log/run-log.ts'

export interface Watcher {
  /** Events that this process just committed, in order. */
  onEvents(events: readonly StoredEvent[]): void
  /** There may be new events, up to `headSeq` if that is known. */
  onWake(headSeq?: number): void
}

export class EventHub {
  readonly #watchers = new Map<string, Set<Watcher>>()

  watch(runId: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(runId) ?? new Set()
    watchers.add(watcher)
    this.#watchers.set(runId, watchers)
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#watchers.get(runId) === watchers) this.#watchers.delete(runId)
    }
  }

  publish(committed: readonly Committed[]): void {
    for (const { runId, events } of committed) {
      if (events.length === 0) continue
      for (const watcher of this.#watchers.get(runId) ?? []) watcher.onEvents(events)
    }
  }

  wake(runIds: Iterable<string>, headSeq?: number): void {
    for (const runId of runIds) {
      for (const watcher of this.#watchers.get(runId) ?? []) watcher.onWake(headSeq)
    }
  }

  get watchedRuns(): string[] {
    return [...this.#watchers.keys()]
  }
}
