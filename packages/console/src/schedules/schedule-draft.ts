// The form of a schedule: its fields as texts, and the request that they make.
import type { CreateScheduleRequest } from '@runwright/client'
import type { CatchUpPolicy, Schedule } from '@runwright/contract'

export interface ScheduleDraft {
  readonly name: string
  readonly cron: string
  readonly timeZone: string
  readonly catchUp: CatchUpPolicy
}

/** What a person starts with: working days in the morning, where the person is. */
export const newSchedule = (): ScheduleDraft => ({
  name: '',
  cron: '0 9 * * MON-FRI',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  catchUp: 'skip',
})

export const scheduleDraftOf = ({ name, cron, time_zone, catch_up }: Schedule): ScheduleDraft => ({
  name: name ?? '',
  cron,
  timeZone: time_zone,
  catchUp: catch_up as CatchUpPolicy,
})

export const fieldsOf = ({ name, cron, timeZone, catchUp }: ScheduleDraft): Omit<CreateScheduleRequest, 'run'> => ({
  ...(name.trim() !== '' && { name: name.trim() }),
  cron: cron.trim(),
  time_zone: timeZone.trim() === '' ? 'UTC' : timeZone.trim(),
  catch_up: catchUp,
})

/** The service has no way to take a name away. */
export const nameProblemOf = ({ name }: ScheduleDraft, schedule: Schedule): string | undefined =>
  schedule.name !== null && name.trim() === '' ? 'The name can be changed, but not removed.' : undefined

/** Only what differs from the schedule as it is: `updated_at` and the audit log name what was changed. */
export const changesOf = (draft: ScheduleDraft, schedule: Schedule): Partial<Omit<CreateScheduleRequest, 'run'>> => {
  const before = fieldsOf(scheduleDraftOf(schedule)) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(fieldsOf(draft)).filter(([name, value]) => before[name] !== value))
}
