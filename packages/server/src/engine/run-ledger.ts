// One run as its worker sees it: every change goes through here with the worker's fence, and what it spent is never lost.
import { type JournalEntry, readJournalEntry } from '../domain/journal.ts'
import type { RunProgress } from '../domain/run-progress.ts'
import { runStates, statesThatAllow } from '../domain/run-states.ts'
import type { Applied, NewUsage, RunChange } from '../store/run-log/run-change.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import type { RunLog } from '../store/run-log/run-log.ts'

/** The run is no longer this worker's: it may change nothing but the record of what it spent. */
export class RunLost extends Error {
  override readonly name = 'RunLost'
}

export type LedgerChange = Omit<RunChange, 'runId' | 'customerId' | 'epoch' | 'from'> & Partial<Pick<RunChange, 'from'>>

export class RunLedger {
  readonly run: ClaimedRun
  readonly progress: RunProgress
  readonly #runLog: RunLog
  /** Tokens of calls that were aborted: they go with the next change, whatever it is. */
  #owed: NewUsage[] = []
  #tokens: number
  #recoveries: number

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

  /** What the run has used, calls that were aborted included. */
  get tokens(): number {
    return this.#tokens + sum(this.#owed)
  }

  /** Remembers tokens for the next change. */
  owe(usage: NewUsage): void {
    this.#owed.push(usage)
  }

  /** Applies a change, or throws RunLost. */
  async apply(change: LedgerChange): Promise<Applied> {
    const owed = this.#owed
    this.#owed = []
    const usage = [...(change.usage ?? []), ...owed]
    const spent = usage.filter((record) => record.eventType === 'tokens.consumed')
    const outcome = await this.#runLog.apply({
      runId: this.run.id,
      customerId: this.run.customerId,
      epoch: this.run.epoch,
      from: statesThatAllow('progress'),
      ...change,
      usage,
      tokens: sum(spent),
    })
    if (outcome.outcome !== 'applied') {
      await this.#meter(spent)
      throw new RunLost(`run ${this.run.id} is lost: ${outcome.outcome}`)
    }
    this.#tokens += sum(spent)
    if (change.resetsRecoveries) this.#recoveries = 0
    for (const { key, body } of change.journal ?? []) this.progress.add(readJournalEntry(key, body) as JournalEntry)
    return outcome
  }

  /** Puts down what is still owed, for a run that has been lost. */
  async settle(): Promise<void> {
    const owed = this.#owed
    this.#owed = []
    await this.#meter(owed)
  }

  async #meter(spent: readonly NewUsage[]): Promise<void> {
    if (spent.length === 0) return
    const { id: runId, customerId } = this.run
    await this.#runLog.apply({ runId, customerId, epoch: null, from: runStates, tokens: sum(spent), usage: spent })
  }
}

const sum = (usage: readonly NewUsage[]): number => usage.reduce((total, { quantity }) => total + quantity, 0)
