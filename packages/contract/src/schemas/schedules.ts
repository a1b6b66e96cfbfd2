// Schedules on the wire: a cron expression, and the body of the run that each tick creates.
import { z } from 'zod'
import { maxCronLength, maxTimeZoneLength } from '../vocabulary/limits.ts'
import { catchUpPolicies } from '../vocabulary/vocabulary.ts'
import { id, instant, jsonObject, label, nextCursor, openEnum, pageFields, published, requestId, text } from './wire.ts'

/** Checked separately and as a create is, with the reason codes of a create. */
const runBody = published(jsonObject as z.ZodType<unknown>, { $ref: '#/components/schemas/CreateRun' })

const fields = {
  cron: text(1, maxCronLength).describe('Five fields: minute, hour, day of the month, month, day of the week'),
  time_zone: text(1, maxTimeZoneLength).describe('The IANA time zone of the expression, such as `Europe/Berlin`'),
  catch_up: z
    .enum(catchUpPolicies)
    .describe(
      'What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100',
    ),
}

export const createScheduleSchema = z
  .strictObject({
    name: label.optional(),
    cron: fields.cron,
    time_zone: fields.time_zone.optional().describe(`${fields.time_zone.description}. Default: \`UTC\``),
    catch_up: fields.catch_up.optional().describe(`${fields.catch_up.description}. Default: \`skip\``),
    run: runBody.describe('The body of `POST /v1/runs`'),
  })
  .meta({ id: 'CreateSchedule' })
export type CreateSchedule = z.infer<typeof createScheduleSchema>

export const updateScheduleSchema = z
  .strictObject({
    name: label.optional(),
    cron: fields.cron.optional(),
    time_zone: fields.time_zone.optional(),
    catch_up: fields.catch_up.optional(),
    run: runBody.optional().describe('Replaces the whole body'),
    paused: z.boolean().optional().describe('A paused schedule creates no runs, and catches up on nothing'),
  })
  .meta({ id: 'UpdateSchedule' })
export type UpdateSchedule = z.infer<typeof updateScheduleSchema>

export const scheduleErrorSchema = z
  .object({
    reason_code: z.string().describe('As in the response to a create'),
    message: z.string(),
    at: instant,
  })
  .meta({ id: 'ScheduleError' })
export type ScheduleError = z.infer<typeof scheduleErrorSchema>

const scheduleFields = {
  id: id('sched'),
  name: z.string().nullable(),
  ...fields,
  catch_up: openEnum(catchUpPolicies).describe(fields.catch_up.description ?? ''),
  paused: z.boolean(),
  next_at: instant.nullable().describe('The next tick. Null while the schedule is paused'),
  last_at: instant.nullable().describe('The last tick that created a run'),
  last_run_id: id('run').nullable().describe('The run that it created'),
  last_error: scheduleErrorSchema
    .nullable()
    .describe('Why the latest tick has created no run. Null if it has created one'),
  missed: z
    .int()
    .min(0)
    .describe('How many ticks have created no run: missed, or refused. At most 100 are counted at once'),
  created_at: instant,
  updated_at: instant.describe('When it was created or changed. Ticks do not count'),
}

export const listedScheduleSchema = z.object(scheduleFields).meta({ id: 'ListedSchedule' })
export type ListedSchedule = z.infer<typeof listedScheduleSchema>

export const scheduleSchema = z
  .object({
    ...scheduleFields,
    run: jsonObject.describe('As sent, with tagged values masked or removed'),
  })
  .meta({ id: 'Schedule' })
export type Schedule = z.infer<typeof scheduleSchema>

export const scheduleResultSchema = z
  .object({ schedule: scheduleSchema, request_id: requestId })
  .meta({ id: 'ScheduleResult' })
export type ScheduleResult = z.infer<typeof scheduleResultSchema>

export const schedulesQuerySchema = z.strictObject(pageFields)
export type SchedulesQuery = z.infer<typeof schedulesQuerySchema>

export const scheduleListSchema = z
  .object({ schedules: z.array(listedScheduleSchema), next_cursor: nextCursor, request_id: requestId })
  .meta({ id: 'ScheduleList' })
export type ScheduleList = z.infer<typeof scheduleListSchema>
