// Creates the runs of schedules that are due. The idempotency key of a run names its tick, so a tick creates one run
// whatever happens: a process that is killed before it has recorded the tick, or two processes that act on it at once.
import { dueTicks } from '../domain/schedule/due-ticks.ts'
import { Timetable } from '../domain/schedule/timetable.ts'
import { ServiceError } from '../domain/service-error.ts'
import { type CreateDependencies, createRun } from '../runs/create-run.ts'
import { toWireId } from '../runtime/ids.ts'
import type { Logger } from '../runtime/logger.ts'
import { runSliced, TimeSlice } from '../runtime/time-slices.ts'
import type { Database } from '../store/postgres/database.ts'
import { isMoving, isTransient } from '../store/postgres/errors.ts'
import {
  type Advance,
  advanceSchedules,
  type DueScheduleRecord,
  findDueSchedules,
} from '../store/schedules/due-schedules.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'

interface Options {
  readonly database: Database
  readonly keys: SealingKeys
  readonly creation: CreateDependencies
  readonly logger: Logger
}

/** Schedules that are read at once. A body can have 1 MB. */
const batchSize = 50
/** Per call, so that a process that is stopped waits only for a while. */
const maxBatches = 20
/** Of one schedule, so that one with many missed ticks does not hold up the others. */
const ticksAtOnce = 10
/** After an error that is not a refusal. */
const failedMs = 60_000
/** If no tick follows, the schedule is looked at again after this time. */
const noTickMs = 86_400_000

export class ScheduleRunner {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns how many schedules were due. There may be more. */
  async runOnce(): Promise<{ schedules: number }> {
    let schedules = 0
    for (let batch = 0; batch < maxBatches; batch += 1) {
      const found = await findDueSchedules(this.#options.database, batchSize)
      if (found.length > 0) await this.#runAll(found)
      schedules += found.length
      if (found.length < batchSize) break
    }
    return { schedules }
  }

  /**
   * Side by side: their creates are written together. To find ticks takes a while, so requests are served in between.
   */
  async #runAll(found: readonly DueScheduleRecord[]): Promise<void> {
    const { database, keys } = this.#options
    await keys.ensure(found.map(({ sealed }) => sealed.keyId))
    const slice = new TimeSlice()
    const running: Promise<Advance | undefined>[] = []
    for (const schedule of found) {
      running.push(this.#run(schedule))
      if (slice.isOver) await slice.next()
    }
    const advances = (await Promise.all(running)).filter((advance) => advance !== undefined)
    if (advances.length > 0) await advanceSchedules(database, advances)
  }

  /** Never rejects. Undefined: the database could not be reached, and the next sweep tries again. */
  async #run(schedule: DueScheduleRecord): Promise<Advance | undefined> {
    try {
      return await this.#runTicks(schedule)
    } catch (error) {
      const { id, customerId, nextAt, now } = schedule
      this.#options.logger.warn({ err: error, schedule: toWireId('sched', id) }, 'a schedule could not create its run')
      if (isTransient(error) || isMoving(error)) return undefined
      const failure = { reason_code: 'INTERNAL_ERROR', message: 'An unexpected error occurred.', at: now.toISOString() }
      return { id, customerId, wasNextAt: nextAt, nextAt, dueInMs: failedMs, error: failure, missed: 0 }
    }
  }

  async #runTicks(schedule: DueScheduleRecord): Promise<Advance> {
    const { id, customerId, nextAt: wasNextAt, now } = schedule
    const timetable = new Timetable(schedule)
    const next = timetable.next(now)
    // There was one when the schedule was created. The rules of a time zone may change.
    const advance = { id, customerId, wasNextAt, nextAt: next ?? wasNextAt, ...(!next && { dueInMs: noTickMs }) }
    // The schedules of a suspended customer rest: their ticks pass.
    if (schedule.isSuspended) return { ...advance, missed: 0 }
    const { due, missed } = await runSliced(dueTicks({ ...schedule, timetable }, now))
    let outcome: Outcome = { missed }
    for (const tick of due.slice(0, ticksAtOnce)) {
      const { retryInMs, ...ticked } = await this.#runTick(schedule, tick, outcome)
      outcome = ticked
      if (retryInMs !== undefined) return { ...advance, ...outcome, nextAt: tick, dueInMs: retryInMs }
    }
    const rest = due[ticksAtOnce]
    return rest ? { ...advance, ...outcome, nextAt: rest, dueInMs: 0 } : { ...advance, ...outcome }
  }

  async #runTick(schedule: DueScheduleRecord, tick: Date, before: Outcome): Promise<TickOutcome> {
    try {
      return { missed: before.missed, last: { at: tick, runId: await this.#create(schedule, tick) } }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const refusal = { reason_code: error.reason, message: error.message, at: schedule.now.toISOString() }
      if (error.retryAfterSeconds === undefined) return { ...before, missed: before.missed + 1, error: refusal }
      return { ...before, error: refusal, retryInMs: error.retryAfterSeconds * 1000 }
    }
  }

  /** Returns the id of the run; null if the run was created before, and has been removed. */
  async #create({ id, customerId, sealed, runBy }: DueScheduleRecord, tick: Date): Promise<string | null> {
    const { keys, creation } = this.#options
    const scheduleId = toWireId('sched', id)
    const idempotencyKey = `schedule:${scheduleId}:${tick.toISOString()}`
    const body = keys.keyring.open(sealed, { customerId, scheduleId: id }) as string
    try {
      // The event `run.created` shows the request id: it says where the run comes from.
      const by = { by: undefined, onBehalfOf: runBy }
      return (await createRun(creation, { customerId, ...by, requestId: scheduleId, idempotencyKey, body })).run.id
    } catch (error) {
      // The tick has created its run, and the body was changed before the tick was recorded.
      if (!isUsedKey(error)) throw error
      const used = await creation.creator.find(customerId, idempotencyKey)
      return used?.outcome === 'exists' ? used.run.id : null
    }
  }
}

type Outcome = Pick<Advance, 'last' | 'error' | 'missed'>

interface TickOutcome extends Outcome {
  /** The refusal passes. */
  readonly retryInMs?: number
}

const isUsedKey = (error: unknown): boolean =>
  error instanceof ServiceError &&
  (error.reason === 'IDEMPOTENCY_KEY_CONFLICT' || error.reason === 'IDEMPOTENCY_KEY_EXPIRED')
