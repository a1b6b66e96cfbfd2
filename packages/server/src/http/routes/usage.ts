// GET /v1/usage and /v1/usage/events: aggregated usage of the caller's customer, and the individual records.
import { defaultListPageSize, type UsageQuery, type UsageRow } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import { toPeriod, usageRange } from '../../domain/usage/range.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { UsageSelection, UsageTotal } from '../../store/usage/question.ts'
import { listUsageRecords } from '../../store/usage/records.ts'
import { readNow, readUsage } from '../../store/usage/usage.ts'
import type { Answer, Handlers } from '../server/response/handler.ts'
import { inPieces, jsonWithList } from '../server/response/text-pieces.ts'
import { prefersCsv } from './accepts-csv.ts'
import { usageCsv } from './usage-csv.ts'
import { cursorOf, positionOf, toWireEvent } from './usage-events.ts'

const maxRows = 50_000
/** All rows are in memory until the last one is written. */
const maxBytes = 32 * 1024 * 1024

export const usageHandlers = ({
  database,
}: {
  readonly database: Database
}): Pick<Handlers, 'getUsage' | 'listUsageEvents'> => ({
  getUsage: async ({ principal, query, requestId, request }) => {
    const now = await readNow(database)
    const range = usageRange(query, now)
    const granularity = query.granularity ?? 'day'
    const selection = selectionOf(principal.customerId, query)
    const totals = await readUsage(database, { ...selection, range, granularity, now, maxRows, maxBytes })
    if (!totals) throw tooLarge()
    if (prefersCsv(request.headers.accept)) return inCsv(totals)
    const otherFields = { period: toPeriod(range), granularity, request_id: requestId }
    return { headers: { vary: 'accept' }, body: jsonWithList('usage', rowTexts(totals), otherFields) }
  },

  listUsageEvents: async ({ principal, query, requestId }) => {
    const range = usageRange(query, await readNow(database))
    const limit = query.limit ?? defaultListPageSize
    const after = query.cursor === undefined ? undefined : positionOf(query.cursor)
    const selection = selectionOf(principal.customerId, query)
    const found = await listUsageRecords(database, { ...selection, range, after, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const next_cursor = found.length > page.length && last ? cursorOf(last) : null
    return { body: { events: page.map(toWireEvent), next_cursor, request_id: requestId } }
  },
})

const selectionOf = (
  customerId: string,
  query: Pick<UsageQuery, 'workspace_id' | 'subject_id' | 'event_type' | 'group_by'>,
): UsageSelection => ({
  customerId,
  workspaceId: query.workspace_id,
  subjectId: query.subject_id,
  eventType: query.event_type,
  byWorkspace: query.group_by?.includes('workspace_id') ?? false,
  bySubject: query.group_by?.includes('subject_id') ?? false,
})

const toRow = (total: UsageTotal): UsageRow => ({
  event_type: total.eventType,
  count: total.count,
  total_quantity: total.quantity,
  period: total.period,
  workspace_id: total.workspaceId,
  subject_id: total.subjectId,
})

function* toRows(totals: readonly UsageTotal[]) {
  for (const total of totals) yield toRow(total)
}

function* rowTexts(totals: readonly UsageTotal[]) {
  for (const row of toRows(totals)) yield JSON.stringify(row)
}

const inCsv = (totals: readonly UsageTotal[]): Answer => ({
  headers: { 'content-type': 'text/csv; charset=utf-8; header=present', vary: 'accept' },
  body: inPieces(usageCsv(toRows(totals))),
})

const tooLarge = () =>
  new ServiceError(
    'USAGE_QUERY_PARAMS_INVALID',
    `The result has more than ${maxRows} rows or ${maxBytes} bytes. Request a shorter range, a coarser granularity or a filter.`,
  )
