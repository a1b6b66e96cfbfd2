// The audit log of the caller's customer.
import { type AuditEntry, defaultListPageSize } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import { listEntries } from '../../store/audit/entries.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Handlers } from '../server/handler.ts'

export const auditHandlers = (reads: Database): Pick<Handlers, 'listAudit'> => ({
  listAudit: async ({ principal: { customerId }, query, requestId }) => {
    const { action, key_id: keyId, target, limit = defaultListPageSize, cursor } = query
    const before = cursor === undefined ? undefined : seqOf(cursor)
    const found = await listEntries(reads, { customerId, action, keyId, target, before, limit: limit + 1 })
    const entries = found.slice(0, limit)
    return { body: { entries, next_cursor: nextCursor(entries, found.length > limit), request_id: requestId } }
  },
})

const nextCursor = (entries: readonly AuditEntry[], isMore: boolean): string | null =>
  isMore ? String(entries.at(-1)?.seq) : null

function seqOf(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  throw new ServiceError(
    'AUDIT_QUERY_PARAMS_INVALID',
    'Query parameter "cursor": must be a next_cursor that this list returned.',
  )
}
