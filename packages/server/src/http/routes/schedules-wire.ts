// Converts schedules to their wire form, and the cursor of their list.
import type { ListedSchedule, Schedule } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { ListedScheduleRecord, ScheduleRecord } from '../../store/schedules/schedules.ts'

const instantOf = (date: Date | null): string | null => date?.toISOString() ?? null

export const toListedSchedule = (schedule: ListedScheduleRecord): ListedSchedule => ({
  id: toWireId('sched', schedule.id),
  name: schedule.name,
  cron: schedule.cron,
  time_zone: schedule.timeZone,
  catch_up: schedule.catchUp,
  paused: schedule.nextAt === null,
  next_at: instantOf(schedule.nextAt),
  last_at: instantOf(schedule.lastAt),
  last_run_id: schedule.lastRunId === null ? null : toWireId('run', schedule.lastRunId),
  last_error: schedule.lastError,
  missed: schedule.missed,
  created_at: schedule.createdAt.toISOString(),
})

export const toWireSchedule = (schedule: ScheduleRecord): Schedule => ({
  ...toListedSchedule(schedule),
  run: JSON.parse(schedule.run),
})

/** The id of the last schedule of the page. */
export const scheduleCursorOf = ({ id }: ListedScheduleRecord): string =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

export function schedulePositionOf(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex')
  if (hex.length === 32) return hex
  throw new ServiceError(
    'SCHEDULE_PAYLOAD_INVALID',
    'Query parameter "cursor": must be a next_cursor that this list returned.',
  )
}
