// One run as its worker sees it. Every change goes through the ledger with the worker's fence, and no usage or turn is
// lost.
import { type JournalEntry, journalEntry, readJournalEntry, type Touch } from '../../domain/run/journal.ts'
import type { RunProgress } from '../../domain/run/progress.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import { type RenderedParts, renderInTurns, renderTurn } from '../../store/run-log/render-change.ts'
import type { Applied, ChangeOutcome, NewTurn, NewUsage, RunChange } from '../../store/run-log/run-change.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import type { RunLog } from '../../store/run-log/run-log.ts'
import { scrubChange } from './scrub-change.ts'
import { type TracedCall, TurnChains } from './turn-chains.ts'

/** This worker no longer holds the run. It may record usage, but change nothing else. */
export class RunLost extends Error {
  override readonly name = 'RunLost'
}

/** How many unconfirmed records may be in flight. */
const maxAhead = 16

/** A change by the worker that holds the run. Without a trigger it is `progress`. */
export type LedgerChange = Omit<RunChange, 'runId' | 'customerId' | 'epoch' | 'trigger' | 'tokens' | 'turns'> &
  Partial<Pick<RunChange, 'trigger'>>

/** A change as it is written. */
interface Prepared {
  readonly change: LedgerChange
  readonly rendered: RenderedParts
}

export class RunLedger {
  readonly run: ClaimedRun
  readonly progress: RunProgress
  readonly #runLog: RunLog
  /** Tokens of aborted calls. The next change records them, whatever it is. */
  #unrecordedUsage: NewUsage[] = []
  readonly #chains: TurnChains
  /** Calls to models. The next change records them, whatever it is. */
  #turns: NewTurn[] = []
  /** Tokens that are used but wait for the change they belong to. */
  readonly #spent = new Map<string, NewUsage>()
  #tokens: number
  #recoveries: number
  #ahead = 0
  #lastRecord: Promise<void> | undefined
  /** The first failure of a record that was written without waiting. */
  failure: Error | undefined
  onFailure: () => void = () => undefined
  onStepFinished: () => void = () => undefined

  constructor(run: ClaimedRun, progress: RunProgress, runLog: RunLog) {
    this.run = run
    this.progress = progress
    this.#runLog = runLog
    this.#tokens = run.tokens
    this.#recoveries = run.recoveries
    this.#chains = new TurnChains(run)
  }

  /** Recoveries since a step last finished. */
  get recoveries(): number {
    return this.#recoveries
  }

  /** The tokens that the run has used, including those that are not recorded yet. */
  get tokens(): number {
    let tokens = this.#tokens + sum(this.#unrecordedUsage)
    for (const { quantity } of this.#spent.values()) tokens += quantity
    return tokens
  }

  /** Counts tokens from now on. The change they belong to records them; `flushUsage` records the rest. */
  spend(usage: readonly NewUsage[]): void {
    for (const record of usage) this.#spent.set(record.key, record)
  }

  /** Adds tokens to the next change. */
  owe(usage: NewUsage): void {
    this.#unrecordedUsage.push(usage)
  }

  /** Adds a call to a model to the next change. */
  async trace(call: TracedCall): Promise<void> {
    const turn = await runSliced(this.#chains.add(call))
    await yieldToEventLoop()
    renderTurn(turn)
    this.#turns.push(turn)
  }

  /**
   * Applies a change. Throws RunLost if this worker no longer holds the run. After a record has failed, only the end of
   * the execution can be written: anything else may rest on what was not recorded.
   */
  async apply(raw: LedgerChange): Promise<Applied> {
    const prepared = await this.#prepare(raw)
    if (this.failure && raw.trigger === undefined) throw this.failure
    const outcome = await this.#send(prepared)
    this.#remember(prepared.change)
    return outcome
  }

  /**
   * Writes progress without waiting for the commit. Later changes are logged after it, and not at all if it fails. Do
   * not use it for anything that must be durable before it has an effect. Waits only when too many records are in
   * flight; a failure is reported to `onFailure`.
   */
  async record(raw: LedgerChange): Promise<void> {
    const prepared = await this.#prepare(raw)
    if (this.#ahead >= maxAhead) await this.#lastRecord
    if (this.failure) throw this.failure
    this.#ahead += 1
    this.#remember(prepared.change)
    this.#lastRecord = this.#send(prepared).then(
      () => {
        this.#ahead -= 1
      },
      (error: Error) => {
        this.failure ??= error
        this.onFailure()
      },
    )
  }

  /** Journals what came into the run other than by a call, so that the policy knows it after a recovery, too. */
  async touch(source: string, touches: readonly Touch[]): Promise<void> {
    const { touched } = this.progress.turns
    if (touches.every((touch) => touched.has(touch))) return
    await this.record({ journal: [journalEntry('touch', source, { touches })] })
  }

  /**
   * Every change of the run passes here, so no secret reaches the log. To search and to render a large one takes long,
   * so it is done in turns.
   */
  async #prepare(raw: LedgerChange): Promise<Prepared> {
    const { secrets } = this.run
    const change = secrets ? await runSliced(scrubChange(secrets, raw)) : raw
    return { change, rendered: await runSliced(renderInTurns(change)) }
  }

  #remember({ journal = [], resetsRecoveries }: LedgerChange): void {
    if (resetsRecoveries) {
      this.#recoveries = 0
      this.onStepFinished()
    }
    for (const { key, body } of journal) this.progress.add(readJournalEntry(key, body) as JournalEntry)
  }

  async #send({ change, rendered }: Prepared): Promise<Applied> {
    const owed = this.#unrecordedUsage
    const turns = this.#takeTurns()
    this.#unrecordedUsage = []
    const usage = owed.length > 0 ? [...(change.usage ?? []), ...owed] : (change.usage ?? [])
    const spent = usage.filter((record) => record.eventType === 'tokens.consumed')
    // The change comes last, because V8 adds fields to a copy slowly.
    const whole: RunChange = {
      runId: this.run.id,
      customerId: this.run.customerId,
      epoch: this.run.epoch,
      workerId: this.run.workerId,
      trigger: 'progress',
      tokens: sum(spent),
      ...(turns.length > 0 && { turns }),
      ...(owed.length > 0 ? { ...change, usage } : change),
    }
    const outcome = await this.#keep({ turns, owed }, () => this.#runLog.apply(whole, rendered))
    for (const { key } of spent) this.#spent.delete(key)
    if (outcome.outcome !== 'applied') {
      await this.#meter(spent, turns)
      throw new RunLost(`run ${this.run.id} is lost: ${outcome.outcome}`)
    }
    this.#tokens += sum(spent)
    return outcome
  }

  /** If the database cannot be reached, `flushUsage` tries to write them again. */
  async #keep(
    { turns, owed }: { readonly turns: readonly NewTurn[]; readonly owed: readonly NewUsage[] },
    apply: () => Promise<ChangeOutcome>,
  ): Promise<ChangeOutcome> {
    try {
      return await apply()
    } catch (error) {
      this.#turns.unshift(...turns)
      this.#unrecordedUsage.unshift(...owed)
      throw error
    }
  }

  #takeTurns(): NewTurn[] {
    return this.#turns.splice(0)
  }

  /** Records the usage and the turns that no change has recorded, for a run that has ended or is lost. */
  async flushUsage(): Promise<void> {
    const left = [...this.#unrecordedUsage, ...this.#spent.values()]
    this.#unrecordedUsage = []
    this.#spent.clear()
    await this.#meter(left, this.#takeTurns())
  }

  async #meter(spent: readonly NewUsage[], turns: readonly NewTurn[]): Promise<void> {
    if (spent.length === 0 && turns.length === 0) return
    const { id: runId, customerId } = this.run
    const written = { tokens: sum(spent), usage: spent, ...(turns.length > 0 && { turns }) }
    const { outcome } = await this.#runLog.apply({ runId, customerId, epoch: null, trigger: 'meter', ...written })
    // The answer to an earlier commit was lost, and some are recorded. They would keep the others from being so.
    if (outcome !== 'duplicate' || spent.length + turns.length === 1) return
    for (const record of spent) await this.#meter([record], [])
    if (turns.length > 0) await this.#meter([], turns)
  }
}

const sum = (usage: readonly NewUsage[]): number => usage.reduce((total, { quantity }) => total + quantity, 0)
