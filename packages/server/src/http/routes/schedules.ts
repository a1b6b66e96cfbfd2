// The routes below /v1/schedules: cron expressions of the caller's customer that create runs.
import {
  createScheduleSchema,
  describeIssue,
  type ListedSchedule,
  maxJsonDepth,
  type Schedule,
  updateScheduleSchema,
} from '@runwright/contract'
import type { z } from 'zod'
import { actorOf } from '../../domain/actor.ts'
import { parseInParts } from '../../domain/json/strict-json.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { KeyedHash } from '../../runtime/secrets/keyed-hash.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  type ScheduleStore,
  updateSchedule,
} from '../../schedules/manage-schedules.ts'
import type { Database } from '../../store/postgres/database.ts'
import { type ListedScheduleRecord, listSchedules, type ScheduleRecord } from '../../store/schedules/schedules.ts'
import { createdOrRepeated } from '../answers/created.ts'
import { readListPage, uuidCursorOf, uuidOfCursor } from '../answers/list-page.ts'
import { repeatOf } from '../answers/repeatable.ts'
import type { Call, HandledRoute, Handlers } from '../server/response/handler.ts'

type ScheduleHandlers = Pick<Handlers, Extract<HandledRoute, `${string}Schedule` | 'listSchedules'>>

interface Options extends ScheduleStore {
  /** For the list. */
  readonly reads: Database
  readonly hashBody: KeyedHash
}

type Named = Pick<Call<HandledRoute>, 'principal' | 'id'>
const nameIn = ({ principal: { customerId }, id }: Named) => ({ customerId, id })
const actOn = (call: Named) => ({ ...nameIn(call), by: actorOf(call.principal) })

export function scheduleHandlers(options: Options): ScheduleHandlers {
  const { database, hashBody } = options
  return {
    createSchedule: async (call) => {
      const request = await readBody(createScheduleSchema, call.body)
      const repeat = repeatOf(call, { route: 'createSchedule', hashBody })
      const { result, isRepeated } = await createSchedule(options, { ...actOn(call), repeat }, request)
      const path = `/v1/schedules/${toWireId('sched', result.id)}`
      return createdOrRepeated(path, { isRepeated, ...resultOf(result, call.requestId) })
    },
    listSchedules: (call) => readSchedules(options, call),
    getSchedule: async (call) => resultOf(await getSchedule(database, nameIn(call)), call.requestId),
    updateSchedule: async (call) => {
      const request = await readBody(updateScheduleSchema, call.body)
      return resultOf(await updateSchedule(options, actOn(call), request), call.requestId)
    },
    deleteSchedule: async (call) => {
      await deleteSchedule(database, actOn(call))
      return { body: { id: call.id, deleted: true, request_id: call.requestId } }
    },
  }
}

const resultOf = (schedule: ScheduleRecord, requestId: string) => ({
  body: { schedule: toWireSchedule(schedule), request_id: requestId },
})

async function readSchedules({ reads }: Options, { principal, query, requestId }: Call<'listSchedules'>) {
  const { items, nextCursor } = await readListPage({
    query,
    positionOf: uuidOfCursor('SCHEDULES_QUERY_PARAMS_INVALID'),
    cursorOf: uuidCursorOf,
    read: (page) => listSchedules(reads, { customerId: principal.customerId, ...page }),
  })
  return { body: { schedules: items.map(toListedSchedule), next_cursor: nextCursor, request_id: requestId } }
}

// `maxJsonDepth` applies to the values inside `run`, which is the second level of the body.
const maxDepth = maxJsonDepth + 2

async function readBody<S extends z.ZodType>(schema: S, text: string | undefined): Promise<z.infer<S>> {
  const json = await runSliced(parseInParts(text ?? '', { maxDepth }))
  if (!json.ok) throw new ServiceError('SCHEDULE_PAYLOAD_INVALID', json.problem)
  const parsed = schema.safeParse(json.value)
  if (parsed.success) return parsed.data
  throw new ServiceError('SCHEDULE_PAYLOAD_INVALID', `${describeIssue({ error: parsed.error, value: json.value })}.`)
}

const instantOf = (date: Date | null): string | null => date?.toISOString() ?? null

const toListedSchedule = (schedule: ListedScheduleRecord): ListedSchedule => ({
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

const toWireSchedule = (schedule: ScheduleRecord): Schedule => ({
  ...toListedSchedule(schedule),
  run: JSON.parse(schedule.run),
})
