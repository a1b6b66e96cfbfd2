// Executes runs: claims ready runs while there are free places, keeps the leases, and hands all runs over on shutdown.
// Wake-ups trigger a claim; a slow poll is the safety net. The engine does not depend on HTTP: both use the tables.
import { type RunClass, runClasses } from '@runwright/contract'
import { parsePlan } from '../domain/plan/plan.ts'
import { RunProgress } from '../domain/run/progress.ts'
import { terminalStates } from '../domain/run/states.ts'
import type { LiveSecrets } from '../domain/secrets/live-secrets.ts'
import { sleep } from '../runtime/backoff.ts'
import type { Database } from '../store/postgres/database.ts'
import { isAmbiguous, isTransient } from '../store/postgres/errors.ts'
import { type ClaimedRun, customersPerClaim, type Lane, type RunClaimer } from '../store/run-log/run-claimer.ts'
import type { Committed, RunLog } from '../store/run-log/run-log.ts'
import { findHistories, type RunHistory } from '../store/runs/journals.ts'
import type { EngineParts } from './context/execution-context.ts'
import { Lanes } from './lanes.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import { RunLedger } from './ledger/run-ledger.ts'
import { RunExecution } from './run-execution.ts'

interface EngineOptions extends EngineParts {
  readonly database: Database
  readonly runLog: RunLog
  readonly claimer: RunClaimer
  readonly leases: LeaseKeeper
  readonly concurrency: number
  /** Values to keep out of the log while their runs are executing. */
  readonly liveSecrets?: LiveSecrets | undefined
  /** How long running steps may take on shutdown. */
  readonly graceMs?: number
}

const pollMs = 1_000
const maxWakeUpMs = 60_000
const everyTool = { has: () => true } as unknown as ReadonlySet<string>

export class Engine {
  readonly #options: EngineOptions
  readonly #lanes: Lanes
  readonly #executions = new Map<string, { execution: RunExecution; done: Promise<void> }>()
  readonly #stopping = new AbortController()
  #wake = new AbortController()
  /** Classes that may have more ready runs than were claimed. */
  readonly #classesToClaim = new Set<RunClass>(runClasses)
  #pokes = 0
  #wakeUp: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined
  #loop: Promise<void> | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#lanes = new Lanes(options.concurrency)
  }

  start(): void {
    this.#loop = this.#claimLoop()
  }

  /** Tells the engine that runs may be ready. */
  poke(): void {
    this.#pokes += 1
    for (const runClass of runClasses) this.#classesToClaim.add(runClass)
    this.#wake.abort()
  }

  /** Receives the changes committed in this process. A run that ended is stopped at once. */
  hear(committed: readonly Committed[]): void {
    let isReady = false
    for (const { runId, state, claimable, readyInMs } of committed) {
      isReady ||= claimable
      if (!claimable && readyInMs !== undefined) this.#pokeIn(readyInMs)
      if (state && terminalStates.includes(state)) this.#executions.get(runId)?.execution.abort('lost')
    }
    if (isReady) this.poke()
  }

  /** Schedules a wake-up for the next parked run. The poll finds those after it. */
  #pokeIn(ms: number): void {
    const at = performance.now() + ms
    if (ms > maxWakeUpMs || (this.#wakeUp && this.#wakeUp.at <= at)) return
    clearTimeout(this.#wakeUp?.timer)
    const timer = setTimeout(() => {
      this.#wakeUp = undefined
      this.poke()
    }, ms)
    this.#wakeUp = { at, timer: timer.unref() }
  }

  /** Receives the runs that another process has changed. Those executing here may be lost. */
  async hearOf(runIds: readonly string[]): Promise<void> {
    if (runIds.some((runId) => this.#executions.has(runId))) await this.#options.leases.runOnce()
  }

  /** Stops claiming, gives running steps a grace period, then hands every run over. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#wakeUp?.timer)
    this.#wake.abort()
    await this.#loop
    for (const { execution } of this.#executions.values()) execution.handOver()
    const all = Promise.all([...this.#executions.values()].map(({ done }) => done))
    await Promise.race([all, sleep(this.#options.graceMs ?? 25_000)])
    for (const { execution } of this.#executions.values()) execution.abort('hand_over')
    await all
  }

  async #claimLoop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const claimedAll = await this.#claimOnce().catch((error: unknown) => this.#recoverClaim(error))
      if (claimedAll) await this.#rest()
    }
  }

  /** Returns true when there is nothing more to claim for now. */
  async #claimOnce(): Promise<boolean> {
    const lanes = this.#openLanes()
    if (lanes.length === 0) return true
    const [sentAt, pokes, { free }] = [performance.now(), this.#pokes, this.#lanes]
    const runs = await this.#options.claimer.claim(lanes, free)
    const wasUnderWay = this.#lanes.isUnderWay
    this.#rotate(lanes, runs)
    await this.#execute(runs, sentAt)
    // The round ended with the last customers. The next one starts with the first.
    if (runs.length === 0 && wasUnderWay) return false
    // If there was a poke during the claim, the claim may have missed what it was about.
    if (pokes === this.#pokes) this.#dropClaimed(lanes, runs, free)
    return this.#openLanes().length === 0
  }

  #openLanes(): Lane[] {
    return this.#lanes.open().filter(({ runClass }) => this.#classesToClaim.has(runClass))
  }

  /** A lane that got fewer runs than it asked for has no more. One that was cut off by `free` may have more. */
  #dropClaimed(lanes: readonly Lane[], runs: readonly ClaimedRun[], free: number): void {
    if (runs.length >= free) return
    for (const { runClass, places } of lanes) {
      if (runs.filter((run) => run.runClass === runClass).length < places) this.#classesToClaim.delete(runClass)
    }
  }

  async #recoverClaim(error: unknown): Promise<boolean> {
    if (!isTransient(error)) this.#options.logger.error({ err: error }, 'runs could not be claimed')
    // The claim may have been committed. Release the runs that this process holds without knowing it.
    if (isAmbiguous(error)) await this.#giveBack()
    return true
  }

  async #rest(): Promise<void> {
    this.#wake = new AbortController()
    if (this.#stopping.signal.aborted) return
    await sleep(pollMs, this.#wake.signal)
    if (!this.#wake.signal.aborted) this.poke()
  }

  /** Where the next claim of each lane starts: after the customers that were served, or with the first again. */
  #rotate(lanes: readonly Lane[], runs: readonly ClaimedRun[]): void {
    for (const { runClass, places } of lanes) {
      const customers = new Set(runs.filter((run) => run.runClass === runClass).map((run) => run.customerId))
      const wasCutOff = customers.size >= Math.min(places, customersPerClaim)
      this.#lanes.served(runClass, wasCutOff ? [...customers].toSorted().at(-1) : undefined)
    }
  }

  async #execute(runs: readonly ClaimedRun[], sentAt: number): Promise<void> {
    for (const run of runs) this.#lanes.take(run.runClass)
    const histories = await this.#readHistories(runs).catch(async (error: unknown) => {
      for (const run of runs) this.#lanes.release(run.runClass)
      await this.#giveBack()
      throw error
    })
    for (const run of runs) {
      try {
        this.#begin(run, histories.get(run.id), sentAt)
      } catch (error) {
        // The lease expires. After a few recoveries the run stays stalled until someone looks at it.
        this.#lanes.release(run.runClass)
        this.#options.logger.error({ err: error, run: run.id }, 'a run could not be started')
      }
    }
  }

  async #readHistories(runs: readonly ClaimedRun[]): Promise<Map<string, RunHistory>> {
    const seasoned = runs.filter((run) => !run.isFresh)
    return seasoned.length > 0 ? findHistories(this.#options.database, seasoned) : new Map()
  }

  /** Releases runs that are held but not executing. If that fails too, their leases expire. */
  async #giveBack(): Promise<void> {
    await this.#options.claimer.giveBackUnknown([...this.#executions.keys()]).catch(() => undefined)
  }

  #begin(run: ClaimedRun, history: RunHistory | undefined, sentAt: number): void {
    const { runLog, leases } = this.#options
    const ledger = new RunLedger(run, progressOf(run, history), runLog)
    this.#options.liveSecrets?.add(run.secrets)
    const execution = new RunExecution(this.#options, ledger)
    const held = {
      customerId: run.customerId,
      epoch: run.epoch,
      stepMsLeft: () => execution.stepMsLeft,
      lost: () => execution.abort('lost'),
      giveUp: () => execution.abort('lease_given_up'),
    }
    // The run was lost and claimed again before this process noticed. Stop the old execution.
    this.#executions.get(run.id)?.execution.abort('lost')
    leases.hold(run.id, held, sentAt)
    const done = execution.execute().finally(() => this.#end(run, execution))
    this.#executions.set(run.id, { execution, done })
  }

  #end({ id, epoch, runClass, secrets }: ClaimedRun, execution: RunExecution): void {
    this.#options.liveSecrets?.delete(secrets)
    this.#options.leases.release(id, epoch)
    // This process may have claimed the lost run again.
    if (this.#executions.get(id)?.execution === execution) this.#executions.delete(id)
    this.#lanes.release(runClass)
    if (this.#classesToClaim.size > 0) this.#wake.abort()
  }
}

function progressOf(run: ClaimedRun, history: RunHistory | undefined): RunProgress {
  const progress = new RunProgress({
    givenPlan: run.plan === undefined ? undefined : parsePlan(run.plan, everyTool),
    startsWithPlanner: run.routing.first_role === 'planner',
    attempt: run.attempt,
    // Only planners' plans are journaled.
    readPlan: (plan) => parsePlan(plan, everyTool, { literalBraces: true }),
  })
  if (history) progress.restore(history.entries, history.answers)
  return progress
}
