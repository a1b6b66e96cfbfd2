// GET /v1/usage and /v1/usage/events: aggregated usage of the caller's customer, and the individual records.
import { defaultListPageSize, type UsageEvent, type UsageQuery, type UsageRow } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import { toPeriod, usageRange } from '../../domain/usage/range.ts'
import { toMilliseconds } from '../../domain/utc-instant.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { UsageSelection, UsageTotal } from '../../store/usage/question.ts'
import { listUsageRecords, type UsagePosition, type UsageRecord } from '../../store/usage/records.ts'
import { readNow, readUsage } from '../../store/usage/usage.ts'
import type { Answer, Handlers } from '../server/response/handler.ts'
import { inPieces, jsonWithList } from '../server/response/text-pieces.ts'

export const maxRows = 50_000
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

/**
 * Whether a caller prefers CSV to JSON, by its Accept header (RFC 9110). CSV must be listed explicitly. With equal
 * weights, CSV takes precedence over a wildcard, but not over JSON.
 */
export function prefersCsv(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '').toLowerCase().split(',').map(weigh))
  const csv = weights.get('text/csv') ?? 0
  const named = weights.get('application/json')
  const json = named ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return csv > 0 && (named === undefined ? csv >= json : csv > json)
}

function weigh(entry: string): [type: string, weight: number] {
  const [type = '', ...parameters] = entry.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [type, weight === undefined ? 1 : Number(weight) || 0]
}

const columns = [
  'event_type',
  'count',
  'total_quantity',
  'period',
  'workspace_id',
  'subject_id',
] as const satisfies readonly (keyof UsageRow)[]

/** Usage rows as CSV (RFC 4180): a header line, then one line per row, each with its line break. */
export function* usageCsv(rows: Iterable<UsageRow>): Generator<string, void, undefined> {
  yield toLine(columns)
  for (const row of rows) yield toLine(columns.map((column) => row[column]))
}

const toLine = (cells: readonly (string | number | null)[]): string => `${cells.map(toField).join(',')}\r\n`

function toField(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const harmless = value.replace(formulaStart, "$&'")
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/**
 * Labels come from clients, so a spreadsheet must not execute a part of one as a formula. A spreadsheet that splits at
 * semicolons, tabs or bars does not see our quotes in the middle of a line, and starts a cell after every separator.
 */
const formulaStart = /^(?=[=+\-@\t\r\n＝＋－＠])|[;,|\t\r\n](?=[ "']*[=+\-@＝＋－＠])/g

const toWireEvent = (record: UsageRecord): UsageEvent => ({
  event_type: record.eventType,
  quantity: record.quantity,
  at: toMilliseconds(record.at),
  run_id: toWireId('run', record.runId),
  key: record.key,
  workspace_id: record.workspaceId,
  subject_id: record.subjectId,
  ...(record.details && { details: record.details }),
})

const cursorOf = ({ at, runId, key }: UsagePosition): string =>
  Buffer.from(`${at} ${runId} ${key}`).toString('base64url')

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function positionOf(cursor: string): UsagePosition {
  const [at = '', runId = '', ...words] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  const key = words.join(' ')
  const isInstant = instant.test(at) && !Number.isNaN(Date.parse(at))
  if (!isInstant || !uuid.test(runId) || key === '' || key.includes('\0')) {
    throw new ServiceError(
      'USAGE_QUERY_PARAMS_INVALID',
      'Query parameter "cursor": must be a next_cursor that this list returned.',
    )
  }
  return { at, runId, key }
}
