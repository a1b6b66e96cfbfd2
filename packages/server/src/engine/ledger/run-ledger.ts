// One run as its worker sees it: every change goes through here with the worker's fence, and what it spent is never lost.
import { type JournalEntry, readJournalEntry } from '../../domain/run/journal.ts'
import type { RunProgress } from '../../domain/run/progress.ts'
import type { Applied, NewUsage, RunChange } from '../../store/run-log/run-change.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import type { RunLog } from '../../store/run-log/run-log.ts'
import { scrubChange } from './scrub-change.ts'

/** The run is no longer this worker's: it may change nothing but the record of what it spent. */
export class RunLost extends Error {
  override readonly name = 'RunLost'
}

/** So many records may be uncertain at once. */
const maxAhead = 16

/** A change by the worker that holds the run; without a trigger it is progress. */
export type LedgerChange = Omit<RunChange, 'runId' | 'customerId' | 'epoch' | 'trigger'> &
  Partial<Pick<RunChange, 'trigger'>>

export class RunLedger {
  readonly run: ClaimedRun
  readonly progress: RunProgress
  readonly #runLog: RunLog
  /** Tokens of calls that were aborted: they go with the next change, whatever it is. */
  #owed: NewUsage[] = []
  /** Tokens that were spent and wait for the change they belong to. */
  readonly #spent = new Map<string, NewUsage>()
  #tokens: number
  #recoveries: number
  #ahead = 0
  #lastRecord: Promise<void> | undefined
  /** What became of a record that nobody waited for. */
  failure: Error | undefined
  onFailure: () => void = () => undefined

  constructor(run: ClaimedRun, progress: RunProgress, runLog: RunLog) {
    this.run = run
    this.progress = progress
    this.#runLog = runLog
    this.#tokens = run.tokens
    this.#recoveries = run.recoveries
  }

  /** Recoveries since a step was last finished. */
  get recoveries(): number {
    return this.#recoveries
  }

  /** What the run has used, also what no change has recorded yet. */
  get tokens(): number {
    return this.#tokens + sum(this.#owed) + sum([...this.#spent.values()])
  }

  /** Counts tokens from now on; the change that they belong to records them, and if none does, `settle`. */
  spend(usage: readonly NewUsage[]): void {
    for (const record of usage) this.#spent.set(record.key, record)
  }

  /** Remembers tokens for the next change. */
  owe(usage: NewUsage): void {
    this.#owed.push(usage)
  }

  /** Applies a change, or throws RunLost. */
  async apply(raw: LedgerChange): Promise<Applied> {
    const change = this.#scrub(raw)
    const outcome = await this.#send(change)
    this.#remember(change)
    return outcome
  }

  /**
   * Puts down progress without waiting for it: what comes next is in the log after it or not at all. Not for what the
   * world must not see before it is certain. Waits only when too much is uncertain; a failure is heard by `onFailure`.
   */
  async record(raw: LedgerChange): Promise<void> {
    const change = this.#scrub(raw)
    if (this.#ahead >= maxAhead) await this.#lastRecord
    if (this.failure) throw this.failure
    this.#ahead += 1
    this.#remember(change)
    this.#lastRecord = this.#send(change).then(
      () => {
        this.#ahead -= 1
      },
      (error: Error) => {
        this.failure ??= error
        this.onFailure()
      },
    )
  }

  /** The one door that every change of the run goes through: behind it there are no secrets. */
  #scrub(change: LedgerChange): LedgerChange {
    const { secrets } = this.run
    return secrets ? scrubChange(secrets, change) : change
  }

  #remember({ journal = [], resetsRecoveries }: LedgerChange): void {
    if (resetsRecoveries) this.#recoveries = 0
    for (const { key, body } of journal) this.progress.add(readJournalEntry(key, body) as JournalEntry)
  }

  async #send(change: LedgerChange): Promise<Applied> {
    const owed = this.#owed
    this.#owed = []
    const usage = [...(change.usage ?? []), ...owed]
    const spent = usage.filter((record) => record.eventType === 'tokens.consumed')
    const outcome = await this.#runLog.apply({
      runId: this.run.id,
      customerId: this.run.customerId,
      epoch: this.run.epoch,
      trigger: 'progress',
      ...change,
      usage,
      tokens: sum(spent),
    })
    for (const { key } of spent) this.#spent.delete(key)
    if (outcome.outcome !== 'applied') {
      await this.#meter(spent)
      throw new RunLost(`run ${this.run.id} is lost: ${outcome.outcome}`)
    }
    this.#tokens += sum(spent)
    return outcome
  }

  /** Puts down what no change has recorded, for a run that has ended or been lost. */
  async settle(): Promise<void> {
    const left = [...this.#owed, ...this.#spent.values()]
    this.#owed = []
    this.#spent.clear()
    await this.#meter(left)
  }

  async #meter(spent: readonly NewUsage[]): Promise<void> {
    if (spent.length === 0) return
    const { id: runId, customerId } = this.run
    await this.#runLog.apply({ runId, customerId, epoch: null, trigger: 'meter', tokens: sum(spent), usage: spent })
  }
}

const sum = (usage: readonly NewUsage[]): number => usage.reduce((total, { quantity }) => total + quantity, 0)
