// `/console/ticks`: when a cron expression fires next, before it is saved. Not part of the API: only the console
// uses it.

import { maxCronLength, maxTimeZoneLength } from '@runwright/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { nextTicks } from '../../domain/schedule/next-ticks.ts'
import { readTimetable } from '../../domain/schedule/timetable.ts'
import { type Gate, requireScope } from '../server/admission/admission.ts'
import { identify } from '../server/mount-routes.ts'
import { parseQuery, queryTextOf } from '../server/request/query.ts'

const querySchema = z.strictObject({
  cron: z.string().max(maxCronLength),
  time_zone: z.string().max(maxTimeZoneLength).optional(),
})

/** To find one takes 0.3 ms. */
const shownTicks = 5

export function consoleTicksRoute(app: FastifyInstance, { gate }: { readonly gate: Gate }): void {
  app.get('/console/ticks', async (request) => {
    const principal = await identify(request, gate)
    requireScope(principal, 'runs:read')
    const query = parseQuery(querySchema, queryTextOf(request.raw.url ?? ''), 'SCHEDULES_QUERY_PARAMS_INVALID')
    const now = new Date()
    const timetable = readTimetable({ cron: query.cron, timeZone: query.time_zone ?? 'UTC' }, now)
    return { ticks: nextTicks(timetable, now, shownTicks).map((tick) => tick.toISOString()) }
  })
}
