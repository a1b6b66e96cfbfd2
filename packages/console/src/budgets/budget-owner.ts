// Whose budget it is, in the words of the client.
import type { BudgetOwner } from '@runwright/client'
import type { Budget } from '@runwright/contract'

export const referenceOf = ({ workspace_id, subject_id }: Pick<Budget, 'workspace_id' | 'subject_id'>): BudgetOwner => {
  if (workspace_id !== null) return { workspace_id }
  return subject_id === null ? 'customer' : { subject_id }
}

export const owners = ['customer', 'workspace', 'subject'] as const
export type OwnerKind = (typeof owners)[number]

export const ownerFrom = (kind: OwnerKind, id: string): BudgetOwner => {
  if (kind === 'customer') return 'customer'
  return kind === 'workspace' ? { workspace_id: id } : { subject_id: id }
}
