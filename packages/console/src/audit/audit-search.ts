// What the audit page shows, as its URL has it: `#/audit?action=key.create`.
import { type AuditAction, auditActions } from '@runwright/contract'

export interface AuditSearch {
  readonly action?: AuditAction
  readonly key_id?: string
  readonly target?: string
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

export const auditSearchOf = (search: Record<string, unknown>): AuditSearch => {
  const action = auditActions.find((known) => known === search.action)
  const key_id = text(search.key_id)
  const target = text(search.target)
  return { ...(action && { action }), ...(key_id && { key_id }), ...(target && { target }) }
}
