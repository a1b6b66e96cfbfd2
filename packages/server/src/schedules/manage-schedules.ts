// Creates, changes, pauses and deletes the schedules of a customer.
import type { CreateSchedule, UpdateSchedule } from '@runwright/contract'
import type { Actor } from '../domain/actor.ts'
import { readTimetable } from '../domain/schedule/timetable.ts'
import { ServiceError } from '../domain/service-error.ts'
import { fromWireId, newUuid } from '../runtime/ids.ts'
import type { Keyring } from '../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../store/postgres/database.ts'
import type { Once, Repeatable } from '../store/requests/kept-answers.ts'
import {
  changeSchedule,
  deleteSchedule as deleteStored,
  findSchedule,
  insertSchedule,
  type ListedScheduleRecord,
  type ScheduleRecord,
} from '../store/schedules/schedules.ts'
import { readScheduleBody, type ScheduleIntake } from './schedule-body.ts'

export const maxSchedules = 1_000

export interface ScheduleStore {
  readonly database: Database
  readonly keyring: Keyring
  readonly intake: ScheduleIntake
}

interface Caller {
  readonly customerId: string
  /** For the audit log. */
  readonly by: Actor
}

/** The customer, and the id of one of its schedules as it is in a path. */
export interface ScheduleName {
  readonly customerId: string
  readonly id: string
}

interface Times {
  readonly cron: string
  readonly timeZone: string
}

export async function createSchedule(
  { database, keyring, intake }: ScheduleStore,
  { customerId, by, repeat }: Caller & { readonly repeat?: (body: unknown) => Repeatable | undefined },
  { run, ...request }: CreateSchedule,
): Promise<Once<ScheduleRecord>> {
  const { name, cron, time_zone: timeZone = 'UTC', catch_up: catchUp = 'skip' } = request
  firstTick({ cron, timeZone }, new Date())
  const id = newUuid()
  const { canonicalRun, ...body } = await readScheduleBody(run, {
    intake,
    keyring,
    owner: { customerId, scheduleId: id },
  })
  const schedule = await insertSchedule(
    database,
    {
      ...{ customerId, id, name: name ?? null, cron, timeZone, catchUp, ...body },
      firstTick: (now) => firstTick({ cron, timeZone }, now),
    },
    { atMost: maxSchedules, by, repeatable: repeat?.({ ...request, run: canonicalRun }) },
  )
  if (schedule) return schedule
  throw new ServiceError('LIMIT_REACHED', `A customer can have at most ${maxSchedules} schedules. Delete one first.`)
}

/** Refuses times that never come. */
function firstTick(times: Times, now: Date): Date {
  const tick = readTimetable(times, now).next(now)
  if (!tick) throw new Error('a timetable has no next tick')
  return tick
}

export async function getSchedule(database: Database, { customerId, id }: ScheduleName): Promise<ScheduleRecord> {
  return known(await findSchedule(database, { customerId, id: uuidOf(id) }))
}

const notFound = () => new ServiceError('SCHEDULE_NOT_FOUND', 'No schedule has this id.')

function known<T>(found: T | undefined): T {
  if (found === undefined) throw notFound()
  return found
}

const uuidOf = (id: string): string => known(fromWireId('sched', id))

export async function updateSchedule(
  { database, keyring, intake }: ScheduleStore,
  { customerId, by, id: wireId }: ScheduleName & Caller,
  { run, ...update }: UpdateSchedule,
): Promise<ScheduleRecord> {
  const id = uuidOf(wireId)
  const owner = { customerId, scheduleId: id }
  const body = run === undefined ? undefined : await readScheduleBody(run, { intake, keyring, owner })
  const changed = await changeSchedule(database, { customerId, id, by }, (was, now) => {
    const times = { cron: update.cron ?? was.cron, timeZone: update.time_zone ?? was.timeZone }
    const named = { name: update.name ?? was.name, catchUp: update.catch_up ?? was.catchUp }
    return { ...named, ...times, ...nextTick({ was, times, update, now }), body }
  })
  return known(changed)
}

interface Ticking {
  readonly was: ListedScheduleRecord
  readonly times: Times
  readonly update: UpdateSchedule
  readonly now: Date
}

/** The next tick counts from now on if the times have changed, or when a pause ends. Otherwise it stays. */
function nextTick({ was, times, update, now }: Ticking): { nextAt?: Date | null } {
  const first = firstTick(times, now)
  const wasPaused = was.nextAt === null
  if (update.paused ?? wasPaused) return { nextAt: null }
  const isSame = times.cron === was.cron && times.timeZone === was.timeZone
  return isSame && !wasPaused ? {} : { nextAt: first }
}

/** Returns those that exist. Nothing is recorded of one that is paused already. */
export async function pauseSchedules(
  database: Database,
  { customerId, by }: Caller,
  ids: readonly string[],
): Promise<ScheduleRecord[]> {
  const paused: ScheduleRecord[] = []
  for (const id of ids) {
    const schedule = await changeSchedule(database, { customerId, id, by }, (was) => ({ ...was, nextAt: null }))
    if (schedule) paused.push(schedule)
  }
  return paused
}

export async function deleteSchedule(database: Database, { customerId, by, id }: ScheduleName & Caller): Promise<void> {
  if (!(await deleteStored(database, { customerId, by, id: uuidOf(id) }))) throw notFound()
}
