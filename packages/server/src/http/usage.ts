// GET /v1/usage: metering data of the caller's customer, added up.
import type { UsageQuery, UsageRow } from '@runwright/contract'
import { toPeriod, usageRange } from '../domain/usage-range.ts'
import type { Database } from '../store/database.ts'
import { readNow, readUsage, type UsageFilter, type UsageTotal } from '../store/usage.ts'
import type { Handlers } from './handler.ts'

export const usageHandlers = ({ database }: { readonly database: Database }): Pick<Handlers, 'getUsage'> => ({
  getUsage: async ({ principal, query, requestId }) => {
    const range = usageRange(query, await readNow(database))
    const filter = toFilter(query)
    const totals = await readUsage(database, { ...filter, customerId: principal.customerId, range })
    return {
      body: {
        usage: totals.map(toRow),
        period: toPeriod(range),
        granularity: filter.granularity,
        request_id: requestId,
      },
    }
  },
})

const toFilter = (query: UsageQuery): Omit<UsageFilter, 'customerId' | 'range'> => ({
  granularity: query.granularity ?? 'day',
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
