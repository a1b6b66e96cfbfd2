// The runs that this process executes: begins them, holds their leases while they last, and records how they ended.
import { parsePlan } from '../domain/plan/plan.ts'
import { RunProgress } from '../domain/run/progress.ts'
import { terminalStates } from '../domain/run/states.ts'
import type { LiveSecrets } from '../domain/secrets/live-secrets.ts'
import type { Recorder } from '../models/cassette/recorder.ts'
import type { Moment } from '../runtime/moment.ts'
import { noLine } from '../runtime/watchdog/work-board.ts'
import type { Database } from '../store/postgres/database.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findHeads } from '../store/runs/events.ts'
import type { RunHistory } from '../store/runs/journals.ts'
import { allTurns } from '../store/turns/turns.ts'
import type { AbortReason } from './context/abort-reason.ts'
import type { EngineParts } from './context/engine-parts.ts'
import { logFields } from './context/log-fields.ts'
import type { HeldRun, LeaseKeeper } from './lease-keeper.ts'
import { RunLedger } from './ledger/run-ledger.ts'
import { type Executing, LoneExecution } from './lone-execution.ts'
import { RunExecution, type Slot } from './run-execution.ts'

export interface ExecutionsOptions extends EngineParts {
  readonly database: Database
  readonly runLog: RunLog
  readonly leases: LeaseKeeper
  /** Values to keep out of the log while their runs are executing. */
  readonly liveSecrets?: LiveSecrets | undefined
  /** Keeps the calls to models of each run that ends here. */
  readonly recorder?: Recorder | undefined
}

interface Beginning {
  readonly history: RunHistory | undefined
  readonly slot: Slot
  readonly sentAt: Moment
  /** For a run that must be alone: see `LoneExecution`. */
  readonly untilAlone?: ((signal: AbortSignal) => Promise<boolean>) | undefined
}

/** The plan was checked when it was made. */
const everyTool = { has: () => true }
const accepted = { agents: { has: () => true, names: [] } }

export class Executions {
  readonly #options: ExecutionsOptions
  readonly #all = new Map<string, { execution: Executing; done: Promise<void> }>()

  constructor(options: ExecutionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#all.size
  }

  get runIds(): string[] {
    return [...this.#all.keys()]
  }

  /** One for each execution, when it has ended. */
  get ends(): Promise<void>[] {
    return this.endsBut('')
  }

  /** The same without those of a run. */
  endsBut(runId: string): Promise<void>[] {
    return [...this.#all].flatMap(([id, { done }]) => (id === runId ? [] : [done]))
  }

  has(runId: string): boolean {
    return this.#all.has(runId)
  }

  abort(runId: string, reason: AbortReason): void {
    this.#all.get(runId)?.execution.abort(reason)
  }

  abortAll(reason: AbortReason): void {
    for (const { execution } of this.#all.values()) execution.abort(reason)
  }

  /** Lets the running steps end, then hands the runs over. */
  handOverAll(): void {
    this.handOverAllBut('')
  }

  handOverAllBut(runId: string): void {
    for (const [id, { execution }] of this.#all) if (id !== runId) execution.handOver()
  }

  /** Slots may be wanted now. */
  reconsiderAll(): void {
    for (const { execution } of this.#all.values()) execution.reconsider()
  }

  begin(run: ClaimedRun, { history, slot, sentAt, untilAlone }: Beginning): void {
    const { runLog, leases, board } = this.#options
    const line = board?.open(run.id) ?? noLine
    const progress = () => line.during('reading its journal', () => progressOf(run, history))
    const known = untilAlone ? undefined : progress()
    this.#options.liveSecrets?.add(run.secrets)
    // The run was lost and claimed again before this process noticed. Stop the old execution.
    this.abort(run.id, 'lost')
    const lease = leases.hold(
      run.id,
      heldRun(run, () => execution),
      sentAt,
    )
    const open = () => new RunExecution(this.#options, new RunLedger(run, known ?? progress(), runLog), { slot, lease })
    const execution: Executing = untilAlone ? new LoneExecution(run, { runLog, untilAlone, open }) : open()
    const done = execution
      .execute()
      .then(() => this.#record(run))
      .catch((error: unknown) => this.#logFailure(run, error, 'a run could not be executed'))
      .finally(() => {
        line.clear()
        this.#end(run, execution, slot)
      })
    this.#all.set(run.id, { execution, done })
  }

  async #record(run: ClaimedRun): Promise<void> {
    const { recorder, database } = this.#options
    if (!recorder) return
    try {
      const state = (await findHeads(database, [run])).get(run.id)?.state
      if (!terminalStates.some((terminal) => terminal === state)) return
      const { input, metadata } = run.secrets?.shown ?? run
      await recorder.record({ id: run.id, input, metadata, plan: run.plan }, allTurns(database, run))
    } catch (error) {
      this.#logFailure(run, error, 'a run could not be recorded')
    }
  }

  #logFailure(run: ClaimedRun, error: unknown, message: string): void {
    const { logger, observer } = this.#options
    logger.error({ err: error, ...logFields(run, observer) }, message)
  }

  #end(run: ClaimedRun, execution: Executing, slot: Slot): void {
    const { id, epoch, secrets } = run
    this.#options.observer?.executionEnded?.(run)
    this.#options.liveSecrets?.delete(secrets)
    this.#options.leases.release(id, epoch)
    // This process may have claimed the lost run again.
    if (this.#all.get(id)?.execution === execution) this.#all.delete(id)
    slot.giveBack()
  }
}

const heldRun = ({ customerId, epoch }: ClaimedRun, execution: () => Executing): HeldRun => ({
  customerId,
  epoch,
  stepMsLeft: () => execution().stepMsLeft,
  lost: () => execution().abort('lost'),
  handOver: () => execution().handOver(),
  giveUp: () => execution().abort('lease_given_up'),
})

/** The progress of a run as its journal and its answers tell it. */
export function progressOf(run: ClaimedRun, history: RunHistory | undefined): RunProgress {
  const progress = new RunProgress({
    givenPlan: run.plan === undefined ? undefined : parsePlan(run.plan, everyTool, accepted),
    startsWithPlanner: run.routing.first_role === 'planner',
    attempt: run.attempt,
    // Only planners' plans are journaled.
    readPlan: (plan) => parsePlan(plan, everyTool, { ...accepted, literalBraces: true }),
  })
  if (history) progress.restore(history.entries, history.answers)
  return progress
}
