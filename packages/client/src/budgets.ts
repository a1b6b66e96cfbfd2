// Budgets: tokens that may be spent in a day or a month. Changing one needs the scope `keys:admin`.
import type { BudgetList, BudgetResult, PutBudget } from '@runwright/contract'
import { type CallOptions, pathSegment, type Transport } from './transport.ts'

/** Whose budget it is. */
export type BudgetOwner = 'customer' | { readonly workspace_id: string } | { readonly subject_id: string }

const pathOf = (owner: BudgetOwner): string => {
  if (owner === 'customer') return '/v1/budgets/customer'
  return 'workspace_id' in owner
    ? `/v1/budgets/workspaces/${pathSegment(owner.workspace_id)}`
    : `/v1/budgets/subjects/${pathSegment(owner.subject_id)}`
}

export class Budgets {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(options: CallOptions = {}): Promise<BudgetList> {
    return this.#transport.call({ ...options, path: '/v1/budgets' })
  }

  async get(owner: BudgetOwner, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, path: pathOf(owner) })
  }

  /** Makes the budget or replaces it. */
  async put(owner: BudgetOwner, body: PutBudget, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, method: 'PUT', path: pathOf(owner), body })
  }

  async delete(owner: BudgetOwner, options: CallOptions = {}): Promise<BudgetResult> {
    return this.#transport.call({ ...options, method: 'DELETE', path: pathOf(owner) })
  }
}
