// Converts schedules to their wire form.
import type { ListedSchedule, Schedule } from '@runwright/contract'
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
  updated_at: schedule.updatedAt.toISOString(),
})

export const toWireSchedule = (schedule: ScheduleRecord): Schedule => ({
  ...toListedSchedule(schedule),
  run: JSON.parse(schedule.run),
})
