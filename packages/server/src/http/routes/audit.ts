// The audit log of the caller's customer.
import type { AuditEntry } from '@runwright/contract'
import { listEntries } from '../../store/audit/entries.ts'
import type { Database } from '../../store/postgres/database.ts'
import { badCursor, readListPage } from '../answers/list-page.ts'
import type { Handlers } from '../server/response/handler.ts'

export const auditHandlers = (reads: Database): Pick<Handlers, 'listAudit'> => ({
  listAudit: async ({ principal: { customerId }, query, requestId }) => {
    const { action, key_id: keyId, target } = query
    const { items, nextCursor } = await readListPage({
      query,
      positionOf: seqOf,
      cursorOf: ({ seq }: AuditEntry) => String(seq),
      read: (page) => listEntries(reads, { customerId, action, keyId, target, ...page }),
    })
    return { body: { entries: items, next_cursor: nextCursor, request_id: requestId } }
  },
})

function seqOf(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  throw badCursor('AUDIT_QUERY_PARAMS_INVALID')
}
