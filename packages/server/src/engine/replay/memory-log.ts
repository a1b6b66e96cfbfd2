// A run log that keeps the changes of one run in memory. Nothing is written to the database.
import { type JournalEntry, readJournalEntry } from '../../domain/run/journal.ts'
import { type RunState, targetOf } from '../../domain/run/states.ts'
import type { ChangeOutcome, NewEvent, RunChange } from '../../store/run-log/run-change.ts'
import type { RunLog } from '../../store/run-log/run-log.ts'

export class MemoryLog {
  readonly events: NewEvent[] = []
  readonly #journal = new Map<string, JournalEntry>()
  #isClosed = false
  state: RunState = 'running'
  /** The engine's name for the wait that the run is in. */
  waitKey: string | undefined

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) this.#journal.set(entry.key, entry)
  }

  get journal(): JournalEntry[] {
    return [...this.#journal.values()]
  }

  /** The ledger needs nothing else of a run log. */
  get asRunLog(): RunLog {
    return { apply: (change: RunChange) => this.#apply(change) } as unknown as RunLog
  }

  /** Refuses every later change: what a difference causes is not told. */
  close(): void {
    this.#isClosed = true
  }

  async #apply(change: RunChange): Promise<ChangeOutcome> {
    if (this.#isClosed) return { outcome: 'lease_lost', was: 'running' }
    const { events = [], journal = [], trigger, wait } = change
    this.events.push(...events)
    for (const { key, body } of journal) {
      if (!this.#journal.has(key)) this.#journal.set(key, readJournalEntry(key, body))
    }
    this.state = targetOf(trigger) ?? this.state
    this.waitKey = wait?.key ?? this.waitKey
    const was: RunState = 'running'
    return { outcome: 'applied', was, epoch: change.epoch ?? 1, firstSeq: this.events.length, at: new Date() }
  }
}
