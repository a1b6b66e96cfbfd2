// Executes runs: claims ready runs while there are free slots, keeps the leases, and hands all runs over on shutdown.
// Wake-ups trigger a claim; a slow poll is the safety net. The engine does not depend on HTTP: both use the tables.
// When no slot is free, the engine looks who waits, and runs of customers above their share give their slots back.
import { type RunClass, runClasses } from '@runwright/contract'
import { terminalStates } from '../domain/run/states.ts'
import { awake, sleep } from '../runtime/backoff.ts'
import { toWireId } from '../runtime/ids.ts'
import { type Moment, momentNow } from '../runtime/moment.ts'
import { TimeSlice } from '../runtime/time-slices.ts'
import { isAmbiguous, isTransient } from '../store/postgres/errors.ts'
import {
  type Claim,
  type ClaimedRun,
  type Lane,
  noSuspects,
  type RunClaimer,
  type SuspectRule,
} from '../store/run-log/run-claimer.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import { findHistories, type RunHistory } from '../store/runs/journals.ts'
import { logFields } from './context/log-fields.ts'
import { Executions, type ExecutionsOptions } from './executions.ts'
import { FairShares } from './fair-shares.ts'
import { Isolation } from './isolation.ts'
import { Lanes } from './lanes.ts'
import type { Slot } from './run-execution.ts'
import type { SlotLimit } from './slot-limit.ts'

interface EngineOptions extends ExecutionsOptions {
  readonly claimer: RunClaimer
  readonly concurrency: number
  /** Which runs are kept apart. Default: none. */
  readonly suspects?: SuspectRule
  /** How long running steps may take on shutdown. */
  readonly graceMs?: number
  /** Called when this worker has room for runs of every class again, and when it no longer has. */
  readonly onRoom?: (hasRoom: boolean) => void
  /** Called when a wake-up may have been about runs that this worker has no room for. */
  readonly onUnserved?: () => void
  /** How long to rest without a wake-up. Default: a second. */
  readonly pollMs?: () => number
}

/** What a shutdown waits for. */
export interface Unfinished {
  readonly runs: number
  /** After this time they are handed over. */
  readonly leftMs: number
}

const defaultPollMs = 1_000
/** The least time between two looks at who waits. */
const lookPauseMs = 100
const maxWakeUpMs = 60_000
/** How long the steps of other runs may take before a run that must be alone is given back. */
const longestDrainMs = 300_000

export class Engine {
  readonly #options: EngineOptions
  readonly #lanes: Lanes
  readonly #shares: FairShares
  readonly #isolation: Isolation
  #nextLookAt = 0
  readonly #executions: Executions
  readonly #stopping = new AbortController()
  #wake = new AbortController()
  /** Classes that may have more ready runs than were claimed. */
  readonly #classesToClaim = new Set<RunClass>(runClasses)
  #pokes = 0
  /** A claim may have been committed although its answer was lost. */
  #mayHoldUnknown = false
  #hasRoom = true
  #isBehind = false
  /** If this worker cannot serve all classes, another worker is to try. */
  #passesOn = false
  #wakeUp: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined
  #loop: Promise<void> | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#lanes = new Lanes(options.concurrency)
    this.#shares = new FairShares(this.#lanes)
    this.#isolation = new Isolation(options.suspects ?? noSuspects)
    this.#executions = new Executions(options)
  }

  start(): void {
    this.#loop = this.#claimLoop()
  }

  /** How many runs of each class it executes. */
  get taken(): Readonly<Record<RunClass, number>> {
    return this.#lanes.taken
  }

  /** Whether no run may be claimed, although slots are free. */
  get #isClosed(): boolean {
    return this.#isBehind || this.#isolation.isClosed
  }

  /** Whether a run of any class could be claimed. */
  get #mayTakeAny(): boolean {
    return this.#lanes.hasRoomInAll && !this.#isClosed
  }

  /** Whether it executes no runs. */
  get isIdle(): boolean {
    return this.#executions.size === 0
  }

  /** From now on it executes so many runs at a time, and claims none while the worker is behind. */
  limit({ slots, isBehind }: Pick<SlotLimit, 'slots' | 'isBehind'>): void {
    const [couldTakeAny, lanes] = [this.#mayTakeAny, this.#openLanes().length]
    this.#lanes.resize(slots)
    this.#isBehind = isBehind
    if (!this.#mayTakeAny) this.#publishRoom(false)
    if (this.#openLanes().length > lanes || (this.#mayTakeAny && !couldTakeAny)) this.#wake.abort(awake)
  }

  /** Tells this engine, and no other, that runs may be ready. What it has no room for is left to others. */
  wake(): void {
    if (this.#stopping.signal.aborted) {
      this.#options.onUnserved?.()
      return
    }
    this.#passesOn = true
    this.poke()
  }

  /** Tells the engine that runs may be ready. Others know it too, or look for themselves. */
  poke(): void {
    this.#pokes += 1
    for (const runClass of runClasses) this.#classesToClaim.add(runClass)
    this.#wake.abort(awake)
  }

  /** Receives the changes committed in this process. A run that ended is stopped at once. */
  onCommitted(committed: readonly Committed[]): void {
    for (const { runId, state, claimable, readyInMs } of committed) {
      if (!claimable && readyInMs !== undefined) this.#pokeIn(readyInMs)
      if (state && terminalStates.includes(state)) this.#executions.abort(runId, 'lost')
    }
  }

  /** Schedules a wake-up for the next parked run. The poll finds those after it. */
  #pokeIn(ms: number): void {
    const at = performance.now() + ms
    if (ms > maxWakeUpMs || (this.#wakeUp && this.#wakeUp.at <= at)) return
    clearTimeout(this.#wakeUp?.timer)
    const timer = setTimeout(() => {
      this.#wakeUp = undefined
      this.wake()
    }, ms)
    this.#wakeUp = { at, timer: timer.unref() }
  }

  /** Receives the runs that another process has changed. Those executing here may be lost. */
  async onChanged(runIds: readonly string[]): Promise<void> {
    if (runIds.some((runId) => this.#executions.has(runId))) await this.#options.leases.runOnce()
  }

  /** Stops claiming, gives running steps a grace period, then hands every run over. Reports how many are left. */
  async stop(report: (unfinished: Unfinished) => void = () => undefined): Promise<void> {
    const { graceMs = 25_000 } = this.#options
    this.#stopping.abort()
    this.#publishRoom(false)
    clearTimeout(this.#wakeUp?.timer)
    this.#wake.abort(awake)
    await this.#loop
    this.#executions.handOverAll()
    const { ends } = this.#executions
    const all = Promise.all(ends)
    reportLeft(ends, graceMs, report)
    await Promise.race([all, sleep(graceMs)])
    this.#options.retryBudget?.end()
    this.#executions.abortAll('hand_over')
    await all
  }

  async #claimLoop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // Set before the claim, so that a wake-up during the claim or the look is not lost.
      this.#wake = new AbortController()
      const claimedAll = await this.#claimOnce().catch((error: unknown) => this.#recoverClaim(error))
      if (!claimedAll) continue
      this.#passOn()
      await this.#rest(await this.#look().catch((error: unknown) => this.#noteFailedLook(error)))
    }
  }

  /** Tells whether there is room. A wake-up that this worker could not serve fully goes to another one. */
  #passOn(): void {
    this.#publishRoom(this.#mayTakeAny)
    const { size } = this.#classesToClaim
    if (this.#passesOn && size > this.#openLanes().length) this.#options.onUnserved?.()
    this.#passesOn = false
  }

  #publishRoom(hasRoom: boolean): void {
    if (hasRoom === this.#hasRoom || (hasRoom && this.#stopping.signal.aborted)) return
    this.#hasRoom = hasRoom
    this.#options.onRoom?.(hasRoom)
  }

  /** Returns true when there is nothing more to claim for now. */
  async #claimOnce(): Promise<boolean> {
    if (this.#mayHoldUnknown) await this.#giveBack()
    await this.#claimSuspect()
    const lanes = this.#openLanes()
    if (lanes.length === 0) return true
    const [sentAt, pokes, { free }] = [momentNow(), this.#pokes, this.#lanes]
    const claim = await this.#options.claimer.claim(lanes, free, this.#lanes.holdings())
    for (const [runClass, { lastCustomer }] of claim.lanes) this.#lanes.served(runClass, lastCustomer)
    this.#shares.claimed(claim.runs)
    this.#options.observer?.claimed?.(claim.runs)
    await this.#execute(claim.runs, sentAt)
    // If there was a poke during the claim, the claim may have missed what it was about.
    if (pokes === this.#pokes) this.#dropClaimed(lanes, claim, free)
    return this.#openLanes().length === 0
  }

  /** A suspect is claimed apart from the other runs, and one at a time. */
  async #claimSuspect(): Promise<void> {
    const look = this.#lanes.free > 0 && !this.#isBehind ? this.#isolation.nextLook(this.isIdle) : undefined
    if (!look) return
    const sentAt = momentNow()
    const run = await this.#options.claimer.claimSuspect(look.aloneAfterMs)
    if (!run) return
    this.#options.observer?.claimed?.([run])
    this.#isolation.enter(run)
    await this.#execute([run], sentAt).catch((error: unknown) => {
      this.#isolation.leave(run.id)
      throw error
    })
  }

  /** Lets all other runs be handed over. Resolves with false if that takes too long. */
  async #untilAlone({ id, lostWorkers }: ClaimedRun, signal: AbortSignal): Promise<boolean> {
    const { logger } = this.#options
    logger.warn(
      { run_id: toWireId('run', id), lost_workers: lostWorkers },
      'a run must be alone; others are handed over',
    )
    this.#executions.handOverAllBut(id)
    await Promise.race([Promise.all(this.#executions.endsBut(id)), sleep(longestDrainMs, signal)])
    return this.#executions.size === 1
  }

  #openLanes(): Lane[] {
    if (this.#isClosed) return []
    return this.#lanes.open().filter(({ runClass }) => this.#classesToClaim.has(runClass))
  }

  /**
   * A lane that got fewer runs than it asked for has no more, unless a customer may have more than its share. One that
   * was cut off by `free` may have more, too.
   */
  #dropClaimed(lanes: readonly Lane[], { runs, lanes: served }: Claim, free: number): void {
    if (runs.length >= free) return
    for (const { runClass, slots } of lanes) {
      const count = runs.filter((run) => run.runClass === runClass).length
      if (count < slots && !served.get(runClass)?.hasMore) this.#classesToClaim.delete(runClass)
    }
  }

  /** Looks who waits for a lane that is full. Returns the time until the next look if this one came too early. */
  async #look(): Promise<number | undefined> {
    const open = new Set(this.#openLanes().map(({ runClass }) => runClass))
    const full = [...this.#classesToClaim].filter((runClass) => !open.has(runClass))
    if (full.length === 0 || !this.#lanes.hasLargeHolder) {
      this.#shares.see([])
      return undefined
    }
    const tooEarlyMs = this.#nextLookAt - performance.now()
    if (tooEarlyMs > 0) return tooEarlyMs
    this.#nextLookAt = performance.now() + lookPauseMs
    const pokes = this.#pokes
    const waiting = await this.#options.claimer.findWaiting(this.#shares.lanesOf(full))
    this.#shares.see(waiting)
    this.#executions.reconsiderAll()
    if (pokes !== this.#pokes) return undefined
    for (const runClass of full) {
      if (!waiting.some((customer) => customer.runClass === runClass)) this.#classesToClaim.delete(runClass)
    }
    return undefined
  }

  #noteFailedLook(error: unknown): undefined {
    if (!isTransient(error)) this.#options.logger.error({ err: error }, 'waiting runs could not be counted')
  }

  async #recoverClaim(error: unknown): Promise<boolean> {
    if (!isTransient(error)) this.#options.logger.error({ err: error }, 'runs could not be claimed')
    // The claim may have been committed. Release the runs that this process holds without knowing it.
    if (isAmbiguous(error)) await this.#giveBack()
    return true
  }

  async #rest(untilLookMs: number | undefined): Promise<void> {
    if (this.#stopping.signal.aborted) return
    await sleep(untilLookMs ?? this.#options.pollMs?.() ?? defaultPollMs, this.#wake.signal)
    if (!this.#wake.signal.aborted && untilLookMs === undefined) this.poke()
  }

  async #execute(runs: readonly ClaimedRun[], sentAt: Moment): Promise<void> {
    for (const run of runs) this.#lanes.take(run.runClass, run.customerId)
    const histories = await this.#readHistories(runs).catch(async (error: unknown) => {
      for (const run of runs) this.#lanes.release(run.runClass, run.customerId)
      await this.#giveBack()
      throw error
    })
    const slice = new TimeSlice()
    for (const run of runs) {
      // To open a large run takes a while.
      if (slice.isOver) await slice.next()
      const slot = this.#slotOf(run)
      try {
        const untilAlone = this.#isolation.mustBeAlone(run)
          ? (signal: AbortSignal) => this.#untilAlone(run, signal)
          : undefined
        this.#executions.begin(run, { history: histories.get(run.id), slot, sentAt, untilAlone })
      } catch (error) {
        // The lease expires. After a few recoveries the run stays stalled until someone looks at it.
        slot.giveBack()
        this.#options.board?.lineOf(run.id)?.clear()
        const { logger, observer } = this.#options
        logger.error({ err: error, ...logFields(run, observer) }, 'a run could not be started')
      }
    }
  }

  async #readHistories(runs: readonly ClaimedRun[]): Promise<Map<string, RunHistory>> {
    const seasoned = runs.filter((run) => !run.isFresh)
    return seasoned.length > 0 ? findHistories(this.#options.database, seasoned) : new Map()
  }

  /** Releases runs that are held but not executing. If that fails too, it is tried again before the next claim. */
  async #giveBack(): Promise<void> {
    this.#mayHoldUnknown = true
    await this.#options.claimer.giveBackUnknown(this.#executions.runIds).then(
      () => {
        this.#mayHoldUnknown = false
      },
      () => undefined,
    )
  }

  #slotOf(run: ClaimedRun): Slot {
    const [lanes, shares] = [this.#lanes, this.#shares]
    let isHeld = true
    return {
      get isWanted() {
        return isHeld && shares.mustYield(run)
      },
      giveBack: () => {
        if (!isHeld) return
        isHeld = false
        lanes.release(run.runClass, run.customerId)
        this.#leaveIsolation(run.id)
        if (this.#classesToClaim.size > 0) this.#wake.abort(awake)
        else this.#publishRoom(this.#mayTakeAny)
      },
      stepFinished: () => this.#leaveIsolation(run.id),
    }
  }

  /** Other runs, and the next suspect, may be claimed. */
  #leaveIsolation(runId: string): void {
    if (this.#isolation.leave(runId)) this.poke()
  }
}

/** Once now and once after each end, as long as some are left and there is time. */
function reportLeft(ends: readonly Promise<void>[], graceMs: number, report: (unfinished: Unfinished) => void): void {
  const startedAt = performance.now()
  let runs = ends.length
  const tell = () => {
    const leftMs = graceMs - (performance.now() - startedAt)
    if (runs > 0 && leftMs > 0) report({ runs, leftMs })
  }
  tell()
  for (const end of ends) {
    void end.then(() => {
      runs -= 1
      tell()
    })
  }
}
