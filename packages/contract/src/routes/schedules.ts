// The schedule routes.
import { deletedScheduleSchema } from '../schemas/deletions.ts'
import {
  createScheduleSchema,
  scheduleListSchema,
  scheduleResultSchema,
  schedulesQuerySchema,
  updateScheduleSchema,
} from '../schemas/schedules.ts'
import { repeatReasons } from '../vocabulary/reasons.ts'

const read = { scope: 'runs:read', extension: true } as const
const write = { scope: 'runs:write', extension: true } as const
const one = { path: '/v1/schedules/{id}', idOf: 'schedule' } as const

/** The first one is for the schedule itself; the others are those of the body of a create. */
const bodyReasons = [
  'SCHEDULE_PAYLOAD_INVALID',
  'INPUT_PAYLOAD_INVALID',
  'INPUT_PAYLOAD_TOO_LARGE',
  'INPUT_SENSITIVITY_TAG_REQUIRED',
  'INPUT_SENSITIVITY_TAG_INVALID_PATH',
  'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION',
  'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH',
  'INPUT_PLAN_INVALID',
] as const

export const scheduleRoutes = {
  createSchedule: {
    ...write,
    method: 'POST',
    path: '/v1/schedules',
    summary: 'Create a schedule',
    body: createScheduleSchema,
    bodyRequired: true,
    idempotencyKey: 'optional',
    ok: { 201: scheduleResultSchema, 200: scheduleResultSchema },
    reasons: [...bodyReasons, 'LIMIT_REACHED', ...repeatReasons],
  },
  listSchedules: {
    ...read,
    method: 'GET',
    path: '/v1/schedules',
    summary: 'List the schedules of the customer, newest first',
    query: schedulesQuerySchema,
    ok: { 200: scheduleListSchema },
    reasons: ['SCHEDULES_QUERY_PARAMS_INVALID', 'QUERY_TOO_EXPENSIVE'],
  },
  getSchedule: {
    ...read,
    ...one,
    method: 'GET',
    summary: 'Get a schedule',
    ok: { 200: scheduleResultSchema },
    reasons: ['SCHEDULES_QUERY_PARAMS_INVALID', 'SCHEDULE_NOT_FOUND'],
  },
  updateSchedule: {
    ...write,
    ...one,
    method: 'PATCH',
    summary: 'Change, pause or resume a schedule',
    body: updateScheduleSchema,
    bodyRequired: true,
    ok: { 200: scheduleResultSchema },
    reasons: [...bodyReasons, 'SCHEDULE_NOT_FOUND'],
  },
  deleteSchedule: {
    ...write,
    ...one,
    method: 'DELETE',
    summary: 'Delete a schedule',
    ok: { 200: deletedScheduleSchema },
    reasons: ['SCHEDULE_NOT_FOUND'],
  },
} as const
